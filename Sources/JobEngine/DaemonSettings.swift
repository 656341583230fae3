public import AuthModel

/// `nightlatch.toml`: what holds for the daemon as a whole.
public struct DaemonSettings: Hashable, Sendable {
  /// When a foreground phase may start, for providers that don't say so themselves.
  public var foreground: ForegroundMode = .auto
  /// How many runs of a draining foreground queue may be under way at once.
  public var drainConcurrency: Int = 4
  /// When the wall clock is believed.
  public var clockTrust: ClockTrust = .floor
  /// How long the ledger keeps a run after its verdict.
  public var ledgerKeep: Duration = .seconds(90 * 24 * 3600)

  /// Commands to run about sessions, for providers that have none of their own.
  public var hooks: [SessionHook: [String]] = [:]

  public init() {}
}
