import AuthModel
import ControlProtocol

/// `nightlatch foreground [PROVIDER]`
enum ForegroundCommand {
  nonisolated static let command = Command(
    name: "foreground", group: .session, summary: "Ask the daemon for a foreground phase now",
    operands: [Operand("PROVIDER", .optional, completion: .providers)], options: [.wait, .json],
    discussion: [
      "A foreground phase refreshes and verifies the session and then drains the foreground queue. Asking for one resets the backoff. With --wait, ends when the phase has ended."
    ],
    action: run)

  static func run(_ invocation: Invocation, _ world: Surroundings) throws(ToolError) -> ExitCode {
    let waits = invocation.has(.wait)
    let call = ControlCall.foreground(invocation[0].map { ProviderName($0) }, wait: waits)
    let reply = try world.daemon().ask(call, for: ProvidersReply.self, waits: waits)
    if invocation.has(.json) {
      world.print(json: reply)
    } else if reply.providers.isEmpty {
      world.print(AuthCommand.noProviders(world))
    } else {
      for provider in reply.providers {
        world.print(
          "\(provider.provider): "
            + world.styled(
              ProviderDisplay.line(provider, world.times), ProviderDisplay.style(provider.authState)))
      }
    }
    return .success
  }
}
