import AuthCache
import AuthModel
import ControlProtocol
import LinuxPlatform
import Scheduling

/// `nightlatch auth [PROVIDER]`
enum AuthCommand {
  nonisolated static let quiet = CommandOption(
    "quiet", "q", help: "Print nothing; the exit status says it all")

  nonisolated static let command = Command(
    name: "auth", group: .session, summary: "Show the cached state of sessions",
    operands: [Operand("PROVIDER", .optional, completion: .providers)], options: [quiet, .json],
    discussion: [
      "Reads the auth cache, without the network. Of a session that looks verified the daemon, if it answers within 0.2 seconds, says whether a service has refused its token. This is what the gate sees. With several providers the exit status is that of the one that is worst off, and 12 when there is none.",
      "With PROVIDER it explains: since when, until when, what became of the last ten attempts to refresh, and, from the daemon if that answers within a second, what the session waits for.",
    ],
    exitCodes: [.success, .unverified, .unauthenticated, .notReady],
    action: run)

  static func run(_ invocation: Invocation, _ world: Surroundings) throws(ToolError) -> ExitCode {
    let names = try providers(invocation, world)
    let (bootID, now) = (try bootID(), world.now())
    let isExplained = invocation[0] != nil && !invocation.has(quiet)
    let sessions = names.map { session(of: $0, isExplained: isExplained, at: now, in: bootID, world) }
    if isExplained {
      for session in sessions {
        guard let daemon = session.daemon else { continue }
        SessionExplanation(of: session.provider, daemon: daemon, world).show(asJSON: invocation.has(.json))
      }
    } else if !invocation.has(quiet) {
      report(on: sessions.map(\.provider), asJSON: invocation.has(.json), world)
    }
    return sessions.map { exitCode(of: $0.state) }.max { $0.rawValue < $1.rawValue } ?? .notReady
  }

  private static func report(on providers: [Provider], asJSON: Bool, _ world: Surroundings) {
    if asJSON {
      world.print(json: ["providers": providers.map { SessionReport($0) }])
    } else {
      show(providers, world)
    }
  }

  private static func noProviders(_ world: Surroundings) -> String {
    "No providers. Put a file in \(world.folders.configuration)/providers.d, see nightlatch-provider(5)."
  }

  private static func providers(
    _ invocation: Invocation, _ world: Surroundings
  ) throws(ToolError) -> [ProviderName] {
    guard let name = invocation[0] else {
      return try ConfigurationFiles.names(in: world.folders.providers).map { ProviderName($0) }
    }
    try ConfigurationFiles.checkProvider(name, world)
    return [ProviderName(name)]
  }

  private static func bootID() throws(ToolError) -> BootID {
    do {
      return try SystemClock.bootID()
    } catch {
      throw .configuration("The auth cache can't be judged: \(error).")
    }
  }

  private struct Session {
    var state: AuthState
    var provider: Provider
    /// What the daemon says of it; nil where that would change nothing.
    var daemon: Result<Provider, ToolError>?
  }

  private static func session(
    of name: ProviderName, isExplained: Bool, at now: Now, in bootID: BootID, _ world: Surroundings
  ) -> Session {
    let reading = AuthCacheReader(path: "\(world.folders.auth)/\(name)", in: bootID).read()
    var state = reading.authState(at: now, in: bootID)
    var daemon: Result<Provider, ToolError>?
    if isExplained {
      daemon = ask(name, within: .seconds(1), world)
    } else if case .authenticated = state {
      daemon = ask(name, within: .milliseconds(200), world)
    }
    if case (.authenticated(let user), .success(let told)) = (state, daemon),
      isRefused(reading.snapshot, told)
    {
      state = .authenticatedUnverified(user)
    }
    let provider = Provider(name, kind: "", state: state, snapshot: reading.snapshot, at: now, in: bootID)
    return Session(state: state, provider: provider, daemon: daemon)
  }

  /// Whoever asks for the state is not kept waiting for a daemon that is stuck.
  private static func ask(
    _ name: ProviderName, within patience: Duration, _ world: Surroundings
  ) -> Result<Provider, ToolError> {
    var world = world
    world.patience = min(patience, world.patience)
    do throws(ToolError) {
      let reply = try world.daemon().ask(.listAuth(name), for: ProvidersReply.self)
      return reply.providers.first.map { .success($0) }
        ?? .failure(.noSuchProvider(name.description, hint: ""))
    } catch {
      return .failure(error)
    }
  }

  /// What the cache can't know: a service has refused the very token that it describes.
  private static func isRefused(_ snapshot: Snapshot?, _ told: Provider) -> Bool {
    guard case .present(let present) = snapshot?.session, told.tokenGeneration == present.tokenGeneration
    else { return false }
    return told.authState == "authenticatedUnverified" && told.spend == "settled"
  }

  private static func exitCode(of state: AuthState) -> ExitCode {
    switch state {
    case .authenticated: .success
    case .authenticatedUnverified: .unverified
    case .unauthenticated: .unauthenticated
    case .notReady: .notReady
    }
  }

  private static func show(_ providers: [Provider], _ world: Surroundings) {
    guard !providers.isEmpty else { return world.print(sentence: noProviders(world)) }
    var table = Table([
      .init("PROVIDER"), .init("STATE"), .init("USER", narrow: .cutEnd), .init("TOKEN"),
      .init("LAST REFRESH", narrow: .below),
    ])
    for provider in providers {
      table.rows.append([
        .init(provider.provider), .init(provider.authState, ProviderDisplay.style(provider.authState)),
        .init(ProviderDisplay.user(of: provider)), .init(ProviderDisplay.token(of: provider, world.times)),
        .init(ProviderDisplay.attempt(of: provider, world.times)),
      ])
    }
    world.print(table)
    for provider in providers where provider.authState != "authenticated" {
      let failure = provider.lastAttempt.flatMap { $0.outcome == "success" ? nil : $0.detail }
      for what in [provider.reason.map(ProviderDisplay.words), failure].compactMap({ $0 }) {
        world.print(sentence: "\(provider.provider): \(what)")
      }
    }
  }
}
