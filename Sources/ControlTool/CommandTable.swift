/// Every command, in the order in which the overview lists them.
nonisolated enum CommandTable {
  static let commands: [Command] = [
    StatusCommand.command, ListCommand.command, QueueCommand.command, RunsCommand.command,
    WhyCommand.command, LogsCommand.command,
    RunCommand.command, CancelCommand.command, PauseCommand.command, ResumeCommand.command,
    AuthCommand.command, LoginCommand.command, LogoutCommand.command, RefreshCommand.command,
    ForegroundCommand.command, TokenCommand.command, NetworkRestoredCommand.command,
    CheckCommand.command, DoctorCommand.command, CalendarCommand.command, ReloadCommand.command,
    HelpCommand.command, NamesCommand.command,
  ]
}
