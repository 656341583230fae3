@testable import ControlTool

/// The manual page nightlatch(1), made from the table of commands.
nonisolated enum ManualPage {
  static func text(_ commands: [Command]) -> String {
    var page = head
    for group in Command.Group.allCases where group != .hidden {
      page += ".SS \(group.rawValue)\n"
      for command in commands where command.group == group { page += entry(of: command) }
    }
    page += ".SH OPTIONS\nEvery command has these; they may stand before or after it.\n"
    page += CommandOption.global.map(item).joined()
    page += ".SH EXIT STATUS\n"
    for code in ExitCode.allCases {
      page +=
        ".TP\n.B \(code.rawValue)\n\(escaped(code.meaning))\(givers(of: code, among: commands)).\n"
    }
    return page + tail
  }

  /// Which commands can give a status, if only few can.
  private static func givers(of code: ExitCode, among commands: [Command]) -> String {
    let names = commands.filter { $0.exitCodes.contains(code) }.map(\.name)
    let isOfFew = [.unverified, .unauthenticated, .notReady, .broken].contains(code)
    return !isOfFew ? "" : " (\(names.map { "\\fB\($0)\\fR" }.joined(separator: ", ")))"
  }

  private static func entry(of command: Command) -> String {
    let operands = command.operands.map { " \\fI\(escaped($0.usage))\\fR" }.joined()
    let options = command.options.map { " [\(bold($0))]" }.joined()
    var text = ".TP\n\\fB\(command.name)\\fR\(operands)\(options)\n\(escaped(command.summary)).\n"
    for paragraph in command.discussion { text += escaped(paragraph) + "\n" }
    let explained = command.options.filter { $0 != .json }
    if !explained.isEmpty { text += ".RS\n" + explained.map(item).joined() + ".RE\n" }
    return text
  }

  private static func item(_ option: CommandOption) -> String {
    ".TP\n\(bold(option))\n\(escaped(option.help)).\n"
  }

  private static func bold(_ option: CommandOption) -> String {
    let short = option.letter.map { "\\fB\\-\($0)\\fR, " } ?? ""
    return short + "\\fB\(escaped("--" + option.name))\\fR" + (option.value.map { " \\fI\($0)\\fR" } ?? "")
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("'", with: "\\(aq")
  }

  private static let head = #"""
    .TH NIGHTLATCH 1 "" "Nightlatch" "User commands"
    .SH NAME
    nightlatch \- look at, steer and check background jobs that wait for a verified session
    .SH SYNOPSIS
    .B nightlatch
    .RI [ OPTION... ]
    .I COMMAND
    .RI [ ARGUMENT... ]
    .SH DESCRIPTION
    .B nightlatch
    talks to
    .BR nightlatchd (8)
    over its control socket.
    Tables are for people: they take their width and colours from the terminal, show times in the local zone (or the one that
    .B TZ
    names), and may change.
    Where standard output is no terminal their lines are as long as what they say, whatever the width.
    Programs use
    .BR \-\-json ,
    which prints one document on one line in the shapes of the Varlink interface
    .BR org.nightlatch.Control ,
    and the exit status.
    .PP
    A
    .I JOB
    is the name of its file without
    .BR .toml ;
    a
    .I RUN
    is the sixteen hexadecimal digits that
    .B nightlatch runs
    prints.
    .SH COMMANDS

    """#

  private static let tail = #"""
    .PP
    .BR login ", " logout ", " refresh " and " doctor
    become
    .BR nightlatch-foreground (8)
    and end as it does,
    .B logs
    becomes
    .BR journalctl (1).
    .SH ENVIRONMENT
    .TP
    .BR NIGHTLATCH_CONFIG ", " NIGHTLATCH_STATE ", " NIGHTLATCH_RUNTIME
    Folders to use where no option names one.
    .TP
    .B NO_COLOR
    Turns colours off when it is set and not empty.
    .TP
    .B TZ
    The zone in which times are shown.
    .SH FILES
    .TP
    .I /run/nightlatch/control.sock
    The daemon\(aqs control socket; with
    .B \-\-user
    in
    .IR $XDG_RUNTIME_DIR/nightlatch .
    .TP
    .I /run/nightlatch/auth/PROVIDER
    The auth cache that
    .B nightlatch auth
    reads.
    .SH EXAMPLES
    What became of last night\(aqs backup?
    .PP
    .RS
    .EX
    nightlatch why com.example.backup
    .EE
    .RE
    .PP
    Use the cached token in a script, or try again later:
    .PP
    .RS
    .EX
    token=$(nightlatch token work \-\-min\-valid 60s) || exit 75
    .EE
    .RE
    .PP
    Which jobs failed, for a program:
    .PP
    .RS
    .EX
    nightlatch runs \-\-verdict failed \-\-json | jq \-r \(aq.runs[].job\(aq
    .EE
    .RE
    .PP
    When will it run, and does a clock change touch it?
    .PP
    .RS
    .EX
    nightlatch calendar \(aqMon..Fri 02:30\(aq \-\-iterations 5
    .EE
    .RE
    .SH SEE ALSO
    .BR nightlatchd (8),
    .BR nightlatch-foreground (8),
    .BR nightlatch-job (5),
    .BR nightlatch-provider (5),
    .BR nightlatch.toml (5),
    .BR journalctl (1)

    """#
}
