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
    let cached = names.map { provider($0, at: now, in: bootID, world) }
    if invocation[0] != nil, !invocation.has(quiet), let provider = cached.first {
      return explain(provider, asJSON: invocation.has(.json), world)
    }
    return summarise(cached, invocation, world)
  }

  private static func explain(_ cached: Provider, asJSON: Bool, _ world: Surroundings) -> ExitCode {
    let daemon = ask(about: cached, within: .seconds(1), world)
    let provider = corrected(cached, by: daemon)
    SessionExplanation(of: provider, daemon: daemon, world).show(asJSON: asJSON)
    return exitCode(of: provider)
  }

  private static func summarise(
    _ cached: [Provider], _ invocation: Invocation, _ world: Surroundings
  ) -> ExitCode {
    let providers = cached.map { provider in
      // Of any other session the daemon knows no better.
      provider.authState == "authenticated"
        ? corrected(provider, by: ask(about: provider, within: .milliseconds(200), world)) : provider
    }
    if !invocation.has(quiet) { report(on: providers, asJSON: invocation.has(.json), world) }
    return providers.map { exitCode(of: $0) }.max { $0.rawValue < $1.rawValue } ?? .notReady
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

  /// What the cache says.
  private static func provider(
    _ name: ProviderName, at now: Now, in bootID: BootID, _ world: Surroundings
  ) -> Provider {
    let reading = AuthCacheReader(path: "\(world.folders.auth)/\(name)", in: bootID).read()
    return Provider(
      name, kind: "", state: reading.authState(at: now, in: bootID), snapshot: reading.snapshot, at: now,
      in: bootID)
  }

  /// Whoever asks for the state is not kept waiting for a daemon that is stuck.
  private static func ask(
    about provider: Provider, within patience: Duration, _ world: Surroundings
  ) -> Result<Provider, ToolError> {
    var world = world
    world.patience = min(patience, world.patience)
    do throws(ToolError) {
      let reply = try world.daemon().ask(
        .listAuth(ProviderName(provider.provider)), for: ProvidersReply.self)
      return reply.providers.first.map { .success($0) }
        ?? .failure(.noSuchProvider(provider.provider, hint: ""))
    } catch {
      return .failure(error)
    }
  }

  /// With what the cache can't know: a service has refused the very token that it describes.
  private static func corrected(_ cached: Provider, by daemon: Result<Provider, ToolError>) -> Provider {
    guard case .success(let told) = daemon, cached.authState == "authenticated",
      told.authState == "authenticatedUnverified", told.spend == "settled",
      told.tokenGeneration == cached.tokenGeneration
    else { return cached }
    var provider = cached
    (provider.authState, provider.since) = (told.authState, told.since)
    return provider
  }

  private static func exitCode(of provider: Provider) -> ExitCode {
    switch provider.authState {
    case "authenticated": .success
    case "authenticatedUnverified": .unverified
    case "unauthenticated": .unauthenticated
    default: .notReady
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
      let failure = provider.lastAttempt.flatMap { $0.isSuccess ? nil : $0.detail }
      for what in [provider.reason.map(ProviderDisplay.words), failure].compactMap({ $0 }) {
        world.print(sentence: "\(provider.provider): \(what)")
      }
    }
  }
}
