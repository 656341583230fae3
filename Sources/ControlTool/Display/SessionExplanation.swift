import AuthModel
import ControlProtocol
import LinuxPlatform
import Scheduling

/// `nightlatch auth PROVIDER`: the whole story of one session.
struct SessionExplanation {
  private let cached: Provider
  private let history: AttemptHistory
  /// What the daemon says of the provider, or why it says nothing.
  private let daemon: Result<Provider, ToolError>
  private let world: Surroundings

  /// Why the history can't be told.
  private let historyProblem: String?

  init(of provider: Provider, daemon: Result<Provider, ToolError>, _ world: Surroundings) {
    cached = provider
    self.daemon = daemon
    self.world = world
    var text = ""
    var problem: String?
    do throws(PlatformError) {
      text = try SourceFiles.text(of: "\(world.folders.attempts)/\(provider.provider)", limit: 64 << 10)
    } catch {
      problem = error.isAbsence ? nil : error.description
    }
    history = AttemptHistory(text: text)
    historyProblem = problem
  }

  func show(asJSON: Bool) {
    if asJSON { world.print(json: ["providers": [report]]) } else { world.write(text) }
  }

  private var report: SessionReport {
    var report = SessionReport(cached)
    report.attempts = history.entries.map {
      .init(
        ended: Timestamp($0.ended), outcome: $0.outcome.name, failures: Int($0.failures), detail: $0.detail)
    }
    if case .success(let provider) = daemon {
      report.phase = provider.phase
      report.nextPhase = provider.nextPhase
      report.deferred = provider.deferred
      report.blocked = provider.blocked
    }
    return report
  }

  private var text: String {
    let times = world.times
    var details = Details()
    details.add("state", state, ProviderDisplay.style(cached.authState))
    details.add("user", cached.user.map { user in user.name.map { "\($0) (\(user.id))" } ?? user.id })
    details.add("since", cached.since.map { times.full($0.wall) })
    details.add("token", ProviderDisplay.token(of: cached, times))
    details.add("session ends", cached.sessionEnds.map { "\(times.full($0.wall)), unless it is refreshed" })
    details.add("refresh token", refreshToken, .warning)
    details.add("spend", spend, .warning)
    details.add("waits for", waitsFor)
    if case .success(let provider) = daemon, provider.deferred > 0 {
      details.add("queue", "\(DiagnosticDisplay.count(provider.deferred, "run")) deferred")
    }
    details.add("attempts", historyProblem, .warning)
    let attempts = history.entries.isEmpty ? "" : "\n" + attemptTable.text(for: world.terminal)
    return world.styled(cached.provider, .bold) + "\n" + details.text(for: world.terminal) + attempts
  }

  private var state: String {
    cached.authState + (cached.reason.map { ": \(ProviderDisplay.words(for: $0))" } ?? "")
  }

  /// Only what is wrong with it.
  private var refreshToken: String? {
    guard cached.tokenGeneration != nil,
      history.entries.last(where: \.outcome.isSuccess)?.outcome == .spentToken
    else { return nil }
    return "spent before the server handed it out: the next refresh will probably be refused"
  }

  private var spend: String? {
    switch cached.spend {
    case "open": "a refresh token is being sent right now"
    case "ambiguous": "a refresh token was sent, and nobody knows what became of it"
    default: nil
    }
  }

  /// What has to happen for the session to be verified.
  private var waitsFor: String? {
    if cached.authState == "unauthenticated" { return "a person: nightlatch login \(cached.provider)" }
    let provider: Provider
    switch daemon {
    case .success(let answer): provider = answer
    case .failure(let error): return cached.authState == "authenticated" ? nil : "nobody knows: \(error)"
    }
    switch provider.phase {
    case .running: return "the foreground phase that is under way"
    case .backingOff where ProviderDisplay.isBackoffOver(provider, world.times): break
    case .backingOff: return "the " + ProviderDisplay.phase(of: provider, world.times)
    case .parked: return "a person: \(provider.blocked ?? ProviderDisplay.phase(of: provider, world.times))"
    case .idle: break
    }
    switch provider.authState {
    case "authenticated": return nil
    case "authenticatedUnverified" where provider.deferred == 0:
      return "work that needs it, or nightlatch foreground \(provider.provider)"
    default: return "the network, or leave to refresh (foreground in the provider file)"
    }
  }

  private var attemptTable: Table {
    var table = Table([.init("ATTEMPT"), .init("CLASS"), .init("DETAIL", narrow: .below)])
    for entry in history.entries.reversed() {
      let failures = entry.failures > 1 ? ", \(entry.failures) in a row" : ""
      table.rows.append([
        .init(world.times.absolute(entry.ended)),
        .init(entry.outcome.words + failures, entry.outcome == .success ? .good : .warning),
        .init(entry.detail),
      ])
    }
    return table
  }
}
