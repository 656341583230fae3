import Testing

@testable import ControlTool

struct CommandLineReaderTests {
  let reader = CommandLineReader(commands: CommandTable.commands)

  /// The command's name, its operands, and the options with their values.
  private func read(_ arguments: [String]) throws -> String {
    switch try reader.read(arguments) {
    case .overview: return "overview"
    case .version: return "version"
    case .help(let command): return "help \(command?.name ?? "")"
    case .run(let invocation):
      let values = invocation.values.sorted { $0.key < $1.key }.map {
        "\($0.key)=\($0.value.joined(separator: "+"))"
      }
      return ([invocation.command.name] + invocation.operands + values).joined(separator: " ")
    }
  }

  @Test(
    arguments: [
      ([], "overview"),
      (["--help"], "help "),
      (["-h"], "help "),
      (["run", "--help"], "help run"),
      (["--help", "run"], "help run"),
      (["run", "--nonsense-after", "--help"], nil),
      (["--version"], "version"),
      (["status"], "status"),
      (["--user", "status", "--json"], "status json= user="),
      (["list", "--config", "/x"], "list config=/x"),
      (["list", "--config=/x=y"], "list config=/x=y"),
      (["--config=", "list"], "list config="),
      (["queue", "-n5"], "queue limit=5"),
      (["queue", "-n", "5"], "queue limit=5"),
      (["logs", "-fn", "5"], "logs follow= lines=5"),
      (["logs", "-fn5", "job"], "logs job follow= lines=5"),
      (["run", "--", "--odd"], "run --odd"),
      (["calendar", "-", "x"], "calendar - x"),
      (["calendar", "--", "-*-*"], "calendar -*-*"),
      (["queue", "--limit", "1", "--limit", "2"], "queue limit=1+2"),
    ] as [([String], String?)])
  func `a command line is read`(_ arguments: [String], _ expected: String?) throws {
    if let expected {
      #expect(try read(arguments) == expected)
    } else {
      #expect(throws: ToolError.self) { try read(arguments) }
    }
  }

  @Test(
    arguments: [
      (["lsit"], "there is no command \"lsit\"; did you mean list?"),
      (["zzzzzz"], "there is no command \"zzzzzz\""),
      (["list", "--jsno"], "there is no option --jsno; did you mean --json?"),
      (["list", "--zzzzzzzz"], "there is no option --zzzzzzzz"),
      (["list", "-z"], "there is no option -z"),
      (["--json", "list"], "--json belongs to a command: put it after the command's name"),
      (["list", "--json=yes"], "--json takes no value"),
      (["list", "--config"], "--config needs a value: --config DIR"),
      (["queue", "-n"], "--limit needs a value: --limit N"),
      (["run"], "run needs JOB: nightlatch run JOB [OPTION...]"),
      (["run", "a", "b"], "unexpected argument \"b\": nightlatch run JOB [OPTION...]"),
      (["pause"], "pause needs JOB: nightlatch pause JOB..."),
      (["status", "x"], "unexpected argument \"x\": nightlatch status [OPTION...]"),
      (["names"], "names needs jobs|providers: nightlatch names jobs|providers"),
    ] as [([String], String)])
  func `a mistake is explained`(_ arguments: [String], _ expected: String) {
    do throws(ToolError) {
      _ = try reader.read(arguments)
      Issue.record("accepted")
    } catch {
      #expect(error.exitCode == .usage)
      #expect(error.description.split(separator: "\n").first.map(String.init) == expected)
      #expect(error.description.hasSuffix("--help."))
    }
  }

  @Test func `no name in the table is taken twice`() {
    let names = CommandTable.commands.map(\.name)
    #expect(Set(names).count == names.count)
    for command in CommandTable.commands {
      let options = CommandOption.global + command.options
      #expect(Set(options.map(\.name)).count == options.count, "\(command.name)")
      let letters = options.compactMap(\.letter)
      #expect(Set(letters).count == letters.count, "\(command.name)")
      // Only the last operand may be left out or repeated, or nobody could tell which one was given.
      #expect(command.operands.dropLast().allSatisfy { $0.count == .one }, "\(command.name)")
    }
  }
}
