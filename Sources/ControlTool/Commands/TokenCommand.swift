import AuthModel
import ControlProtocol
import Scheduling

/// `nightlatch token PROVIDER`
enum TokenCommand {
  nonisolated static let minimum = CommandOption(
    "min-valid", value: "SPAN", help: "Refuse a token that is valid for less than this, such as 60s")

  nonisolated static let wait = CommandOption(
    "wait", "w", help: "If there is none, have the session refreshed and wait for the token")
  nonisolated static let timeout = CommandOption(
    "timeout", value: "SPAN", help: "Wait no longer than this; default: 60s, at most 1h")

  nonisolated static let command = Command(
    name: "token", group: .session, summary: "Print the cached access token",
    operands: [Operand("PROVIDER", completion: .providers)], options: [minimum, wait, timeout, .json],
    discussion: [
      "Prints the access token that the last foreground phase brought, and nothing else. When there is no token that is valid long enough, it prints the reason to standard error and exits with 75. The token is a secret: it goes to standard output and nowhere else.",
      "With --wait it first asks the daemon for a foreground phase, and ends when the token is there, when only a person can bring one, or after the timeout. Inside a run it never does: background work never refreshes.",
      "Root and the daemon's own user may have every token, runs that of their job's provider, others that of a provider whose file names them in allow_users or allow_groups.",
    ],
    exitCodes: [.success, .temporary, .notPermitted],
    action: run)

  static func run(_ invocation: Invocation, _ world: Surroundings) throws(ToolError) -> ExitCode {
    let wait = try span(timeout, in: invocation)
    if wait != nil, !invocation.has(Self.wait) {
      throw .usage("--timeout belongs to --wait", command: invocation.command.name)
    }
    if let wait, wait > .seconds(3600) {
      throw .usage("--timeout takes at most 1h", command: invocation.command.name)
    }
    let patience = invocation.has(Self.wait) ? wait ?? .seconds(60) : nil
    let call = ControlCall.getToken(
      ProviderName(invocation[0] ?? ""), minValid: try span(minimum, in: invocation), wait: patience)
    let reply = try world.daemon().ask(call, for: TokenReply.self, lasting: patience ?? .zero)
    if invocation.has(.json) {
      world.print(json: reply)
    } else {
      world.print(reply.token)
    }
    return .success
  }

  private static func span(
    _ option: CommandOption, in invocation: Invocation
  ) throws(ToolError) -> Duration? {
    guard let text = invocation.value(of: option) else { return nil }
    do {
      return try Duration(timeSpan: text)
    } catch {
      throw .usage("--\(option.name): \(error.description)", command: invocation.command.name)
    }
  }
}
