import Glibc
import SessionAgent

/// Shows a person what to do, and how long there is time for it.
final class LoginDisplay {
  private let console: Console
  private let terminal = LoginTerminal()
  private var remark: String?
  /// The line that counts down, while it is there.
  private var line: String?

  init(_ console: Console) { self.console = console }

  func show(_ step: LoginStep) {
    switch step {
    case .device(let prompt): show(prompt)
    case .browser(let url): show(url)
    case .waiting(let left, let remark): wait(left, remark)
    }
  }

  /// Leaves no half line behind.
  func end() {
    if line != nil { console.tell("\r\u{1b}[K") }
    line = nil
  }

  private func show(_ prompt: DevicePrompt) {
    let minutes = max(1, prompt.expiresIn.components.seconds / 60)
    let url = prompt.completeURL ?? prompt.verificationURL
    let code = terminal.code(of: url).map { "\n" + $0.joined(separator: "\n") + "\n" } ?? ""
    console.tell(
      """
      Open this page in a browser, on any device:

          \(url)
      \(code)
      and check or enter this code:

          \(prompt.userCode)

      Waiting for you to approve it there (for up to \(minutes) min; Ctrl-C gives up).

      """)
  }

  private func show(_ url: String) {
    let isOpened = Browser.open(url)
    console.tell(
      """
      \(isOpened ? "A browser has been asked to open this page:" : "Open this page in a browser on this machine:")

          \(url)

      Waiting for the browser to come back (for up to 10 min; Ctrl-C gives up).

      """)
  }

  /// On a terminal a line that counts down; elsewhere only what goes wrong, once.
  private func wait(_ left: Duration, _ remark: String?) {
    if terminal.isTerminal {
      let seconds = max(0, left.components.seconds)
      let time = "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
      let text = "\(time) left" + (remark.map { "; \($0); trying again" } ?? "")
      if text != line { console.tell("\r\(text.prefix(max(1, terminal.width - 1)))\u{1b}[K") }
      line = text
    } else if let remark, remark != self.remark {
      console.tell("\(remark); trying again\n")
    }
    self.remark = remark
  }
}
