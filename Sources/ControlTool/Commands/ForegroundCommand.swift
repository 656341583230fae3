import AuthModel
import ControlProtocol

/// `nightlatch foreground [PROVIDER]`
enum ForegroundCommand {
  nonisolated static let command = Command(
    name: "foreground", group: .session, summary: "Ask the daemon for a foreground phase now",
    operands: [Operand("PROVIDER", .optional, completion: .providers)], options: [.wait, .json],
    discussion: [
      "A foreground phase refreshes and verifies the session and then drains the foreground queue. Asking for one resets the backoff. With --wait, ends when the phase has ended, with status 75 if the session could not be refreshed or is not verified then."
    ],
    exitCodes: [.success, .temporary],
    action: run)

  static func run(_ invocation: Invocation, _ world: Surroundings) throws(ToolError) -> ExitCode {
    let waits = invocation.has(.wait)
    let call = ControlCall.foreground(invocation[0].map { ProviderName($0) }, wait: waits)
    let reply = try world.daemon().ask(call, for: ProvidersReply.self, waits: waits)
    if invocation.has(.json) {
      world.print(json: reply)
    } else if reply.providers.isEmpty {
      world.print(
        sentence:
          "The daemon has no providers. nightlatch check tells what is wrong with their files, nightlatch-provider(5) what they are."
      )
    } else {
      for provider in reply.providers {
        world.print(
          sentence: "\(provider.provider): \(ProviderDisplay.line(provider, world.times))",
          ProviderDisplay.style(provider.authState))
      }
    }
    return waits ? exitCode(reply.providers, world) : .success
  }

  /// After the wait, what is not verified or could not be refreshed has failed, and says why.
  private static func exitCode(
    _ providers: [ControlProtocol.Provider], _ world: Surroundings
  ) -> ExitCode {
    let failed = providers.filter {
      $0.authState != "authenticated" || $0.phase == .parked || $0.lastAttempt?.isSuccess == false
    }
    for provider in failed {
      if provider.authState == "unauthenticated" {
        let login = "nightlatch login \(provider.provider)"
        world.complain("\(provider.provider): nobody is logged in; run '\(login)'")
      } else if provider.phase == .parked, let blocked = provider.blocked {
        world.complain("\(provider.provider): no phase can start: \(blocked)")
      } else if let attempt = provider.lastAttempt, !attempt.isSuccess {
        world.complain("\(provider.provider): the phase failed: \(attempt.detail)")
      }
    }
    return failed.isEmpty ? .success : .temporary
  }
}
