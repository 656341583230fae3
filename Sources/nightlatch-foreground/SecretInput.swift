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

  /// The first line, without its end. A terminal does not show what is typed, and corrects nothing: where it
  /// gathers lines it cuts them at 4095 bytes (termios(3)), and some tokens are longer.
  func readLine(prompt: String) throws(AgentError) -> Secret {
    guard isatty(STDIN_FILENO) == 1 else { return try readLine() }
    console.tell(prompt)
    var before = termios()
    tcgetattr(STDIN_FILENO, &before)
    var silent = before
    // Ctrl-C stays a signal.
    silent.c_lflag &= ~tcflag_t(ECHO | ICANON)
    withUnsafeMutableBytes(of: &silent.c_cc) { keys in
      keys[Int(VMIN)] = 1
      keys[Int(VTIME)] = 0
    }
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
    defer {
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
      console.tell("\n")
    }
    return try readLine()
  }

  private func readLine() throws(AgentError) -> Secret {
    let line = Secret(capacity: Self.limit)
    while let byte = try readByte(), byte != UInt8(ascii: "\n") {
      guard line.count < Self.limit else {
        throw .unusable(what: "standard input", reason: "its first line is longer than \(Self.limit) bytes")
      }
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
