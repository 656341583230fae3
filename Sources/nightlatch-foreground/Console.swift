import Glibc
import LinuxPlatform
import Scheduling
import SessionAgent

/// Standard output and standard error, for a person or for the journal.
struct Console {
  /// Lines on standard error get the journal's priority prefix (sd-daemon(3)) if they go there.
  private let isJournal: Bool

  init() {
    if case .journal = LogSink.detect(identifier: "nightlatch-foreground") {
      isJournal = true
    } else {
      isJournal = false
    }
  }

  func say(_ text: String) {
    write("\(text)\n", to: STDOUT_FILENO)
  }

  func complain(_ text: String) { put(text, priority: 3) }

  /// For the journal only: no person can do anything about it at this moment.
  func remark(_ text: String) {
    if isJournal { put(text, priority: 6) }
  }

  private func put(_ text: String, priority: Int) {
    for line in text.split(separator: "\n") {
      write("\(isJournal ? "<\(priority)>" : "")\(line)\n", to: STDERR_FILENO)
    }
  }

  /// A reader that is gone is no reason to fail: the session matters more.
  private func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// On standard error, so that it reaches the person even when the output is read by a program.
  func tell(_ text: String) { write(text, to: STDERR_FILENO) }

  func printHelp() -> ExitStatus {
    say(
      """
      usage: nightlatch-foreground [OPTION...] VERB [PROVIDER...]

      The only program of Nightlatch that talks to identity providers. The daemon starts it; you can, too.

        publish [PROVIDER...]    load the session store and publish it, without any network (default: all)
        refresh PROVIDER...      verify the session: spend the refresh token, store the new one, publish
        login PROVIDER           begin a session: approve a code on any device, or use a browser here
        logout PROVIDER...       end the session, here and at the server
        doctor [PROVIDER...]     look for what could be wrong, without spending or changing anything (default: all)

        --device, --browser      login: which of the two (default: --device where the provider has it)
        --import                 login: with a refresh token that is read from standard input
        --newer-than GENERATION  refresh: adopt what is in the store if its access token is newer than this
        --user, --system         whose files (default: the system's for root, your own otherwise)
        --config DIR, --state DIR, --runtime DIR
                                 where they are, if elsewhere (also NIGHTLATCH_CONFIG, _STATE, _RUNTIME)

      Exit status: 0 done; 1 doctor found a failure; 64 wrong usage; 70 internal error; 75 try again later;
      77 a person has to log in; 78 something is wrong with the configuration, or a session store can't be read.
      """)
    return .success
  }
}
