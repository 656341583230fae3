import AuthModel
import ControlProtocol
import Scheduling

/// `nightlatch token PROVIDER`
enum TokenCommand {
  nonisolated static let minimum = CommandOption(
    "min-valid", value: "SPAN", help: "Refuse a token that is valid for less than this, such as 60s")

  nonisolated static let command = Command(
    name: "token", group: .session, summary: "Print the cached access token",
    operands: [Operand("PROVIDER", completion: .providers)], options: [minimum, .json],
    discussion: [
      "Prints the access token that the last foreground phase brought, and nothing else. It never refreshes: when there is no token that is valid long enough, it prints the reason to standard error and exits with 75."
    ],
    exitCodes: [.temporary],
    action: run)

  static func run(_ invocation: Invocation, _ world: Surroundings) throws(ToolError) -> ExitCode {
    let call = ControlCall.getToken(ProviderName(invocation[0] ?? ""), minValid: try span(in: invocation))
    let reply = try world.daemon().ask(call, for: TokenReply.self)
    if invocation.has(.json) {
      world.print(json: reply)
    } else {
      world.print(reply.token)
    }
    return .success
  }

  private static func span(in invocation: Invocation) throws(ToolError) -> Duration? {
    guard let text = invocation.value(of: minimum) else { return nil }
    do {
      return try Duration(timeSpan: text)
    } catch {
      throw .usage(error.description, command: invocation.command.name)
    }
  }
}
