import NightlatchDaemon

Program.run(CommandLine.arguments)
