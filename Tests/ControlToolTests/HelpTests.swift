import Testing

@testable import ControlTool

struct HelpTests {
  private var visible: [Command] { CommandTable.commands.filter { $0.group != .hidden } }

  @Test func `the help is the reviewed one`() throws {
    let texts = [HelpText.overview(CommandTable.commands)] + visible.map(HelpText.of)
    try Golden.expect(texts.joined(separator: "\n----\n\n"), equals: "Tests/ControlToolTests/Golden/help.txt")
  }

  @Test func `help fits eighty columns`() {
    let texts = [HelpText.overview(CommandTable.commands)] + visible.map(HelpText.of)
    for line in texts.flatMap({ $0.split(separator: "\n") }) {
      #expect(String(line).columns <= 80, "\(line)")
    }
  }

  @Test func `every command explains itself`() {
    for command in visible {
      #expect(!command.summary.hasSuffix("."))
      #expect(
        command.name == "help"
          || command.discussion.allSatisfy { $0.hasSuffix(".") } && !command.discussion.isEmpty,
        "\(command.name)")
    }
  }

  @Test(
    arguments: [
      (["--help"], 0), (["help"], 0), (["help", "run"], 0), (["run", "--help"], 0), (["--version"], 0),
      (["help", "rnu"], 64), ([], 64),
    ] as [([String], Int32)])
  func `help is asked for in every way`(_ arguments: [String], _ status: Int32) {
    let stage = Stage()
    var tool = Tool(stage.surroundings)
    #expect(tool.run(arguments) == status)
    #expect(stage.output.isEmpty == (status != 0))
    #expect(stage.complaints.isEmpty == (status == 0))
  }
}
