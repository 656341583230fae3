import Glibc
import Scheduling
import SessionAgent

/// A secret on standard input: never an argument, which every process on the machine can read.
struct SecretInput {
  private static let limit = 16 << 10

  private let console: Console
  private let hold: SignalHold

  init(_ console: Console, _ hold: SignalHold) {
    self.console = console
    self.hold = hold
  }

  /// The first line, without its end. A terminal does not show what is typed.
  func readLine(prompt: String) throws(AgentError) -> Secret {
    guard isatty(STDIN_FILENO) == 1 else { return try readLine() }
    console.tell(prompt)
    var before = termios()
    tcgetattr(STDIN_FILENO, &before)
    var silent = before
    silent.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
    defer {
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
      console.tell("\n")
    }
    return try readLine()
  }

  private func readLine() throws(AgentError) -> Secret {
    let line = Secret(capacity: Self.limit)
    while line.count < Self.limit {
      guard let byte = try readByte(), byte != UInt8(ascii: "\n") else { break }
      line.append(byte)
    }
    return line
  }

  /// Nil at the end. Signals are held back, so they are looked for while waiting.
  private func readByte() throws(AgentError) -> UInt8? {
    var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    while poll(&input, 1, 200) <= 0 {
      if hold.isStopRequested { throw .stopRequested }
    }
    var byte: UInt8 = 0
    return read(STDIN_FILENO, &byte, 1) == 1 ? byte : nil
  }
}
