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
    let bootID = try bootID()
    let readings = names.map { AuthCacheReader(path: "\(world.folders.auth)/\($0)", in: bootID).read() }
    let now = world.now()
    let states = zip(names, readings).map { state(of: $0, $1, at: now, in: bootID, world) }
    if !invocation.has(quiet) {
      let providers = zip(names, zip(readings, states)).map { name, read in
        Provider(name, kind: "", state: read.1, snapshot: read.0.snapshot, at: now, in: bootID)
      }
      report(on: providers, invocation, world)
    }
    return states.map(exitCode).max { $0.rawValue < $1.rawValue } ?? .notReady
  }

  private static func report(on providers: [Provider], _ invocation: Invocation, _ world: Surroundings) {
    if invocation[0] != nil, let provider = providers.first {
      SessionExplanation(of: provider, world).show(asJSON: invocation.has(.json))
    } else if invocation.has(.json) {
      world.print(json: ["providers": providers.map { SessionReport($0) }])
    } else {
      show(providers, world)
    }
  }

  static func noProviders(_ world: Surroundings) -> String {
    "No providers. Put a file in \(world.folders.configuration)/providers.d, see nightlatch-provider(5)."
  }

  private static func providers(
    _ invocation: Invocation, _ world: Surroundings
  ) throws(ToolError) -> [ProviderName] {
    let known = ConfigurationFiles.names(in: world.folders.providers)
    guard let name = invocation[0] else { return known.map { ProviderName($0) } }
    guard known.isEmpty || known.contains(name) else {
      throw .noSuchProvider(name, hint: suggestion(for: name, among: known))
    }
    return [ProviderName(name)]
  }

  private static func bootID() throws(ToolError) -> BootID {
    do {
      return try SystemClock.bootID()
    } catch {
      throw .configuration("The auth cache can't be judged: \(error).")
    }
  }

  private static func state(
    of name: ProviderName, _ reading: SnapshotReading, at now: Now, in bootID: BootID, _ world: Surroundings
  ) -> AuthState {
    let state = reading.authState(at: now, in: bootID)
    guard case .authenticated(let user) = state, isRefused(reading.snapshot, name, world) else {
      return state
    }
    return .authenticatedUnverified(user)
  }

  /// What the cache can't know: a service has refused the very token that it describes.
  private static func isRefused(_ snapshot: Snapshot?, _ name: ProviderName, _ world: Surroundings) -> Bool {
    guard case .present(let present) = snapshot?.session else { return false }
    var world = world
    // Whoever asks for the state is not kept waiting for a daemon that is stuck.
    world.patience = min(world.patience, .milliseconds(200))
    let told = try? world.daemon().ask(.listAuth(name), for: ProvidersReply.self).providers.first
    guard let told, told.tokenGeneration == present.tokenGeneration else { return false }
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
