import ControlProtocol
import LinuxPlatform
import Scheduling

/// All that the tool sees of the world, so that a test can be the world.
public struct Surroundings {
  var environment: [String: String]
  var terminal: Terminal
  var zone: TimeZoneRules
  var now: () -> Now
  /// Writes text to standard output as it is.
  var write: (String) -> Void
  /// Writes a line to standard error.
  var complain: (String) -> Void
  /// The next line of standard input, without its end.
  var readLine: () -> String?
  /// Becomes another program; comes back only when that fails.
  var become: (Launch) throws(ToolError) -> ExitCode
  /// How long the daemon may take to answer.
  var patience: Duration = .seconds(10)
  /// Where everything lies; set from the options of the command line.
  var folders = Folders.system

  /// A program to become.
  struct Launch: Hashable {
    /// Paths to try in this order.
    var candidates: [String]
    /// The first is the name the program is given.
    var arguments: [String]
  }
}

extension Surroundings {
  func print(_ line: String) { write(line + "\n") }

  /// A sentence for people; where the terminal is too narrow it goes on in indented lines.
  func print(sentence text: String, _ style: Style = .plain) {
    let text = text.printable
    let isNarrow = terminal.width.map { text.columns > $0 } ?? false
    let lines = isNarrow ? text.wrapped(to: terminal.width.map { max(1, $0 - 2) }) : [text]
    print(lines.map { styled($0, style) }.joined(separator: "\n  "))
  }

  /// One JSON document.
  func print(json: some Encodable) { print(JSONText.encode(json)) }

  func print(_ table: Table) { write(table.text(for: terminal)) }

  func styled(_ text: String, _ style: Style) -> String {
    style.apply(to: text.printable, colors: terminal.hasColors)
  }

  var times: TimeDisplay { TimeDisplay(now: now().wall, zone: zone) }

  /// A connection to the daemon of these folders.
  func daemon() throws(ToolError) -> ControlClient {
    try ControlClient(socket: folders.controlSocket, advice: startAdvice, patience: patience)
  }

  private var startAdvice: String {
    switch folders.mode {
    case .system: "Start it with: systemctl start nightlatchd"
    case .user:
      "Start it with: systemctl --user start nightlatchd, or run \(OwnPrograms.path(of: "nightlatchd")) --user in a terminal."
    }
  }
}
