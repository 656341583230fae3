import AuthModel
import Scheduling

/// What keeps a session alive while no work needs it, and what is said when nothing will.
extension Engine {
  /// People are warned when a quarter of the refresh token's life is left, and so long before its end at most.
  static let warningLead = Duration.seconds(3 * 86_400)

  /// Whether the session has not been refreshed for so long that the server may soon take it for idle.
  func isKeepAliveDue(_ provider: Provider) -> Bool {
    guard let span = provider.definition.keepAlive, let idle = idleTime(of: provider) else { return false }
    return idle >= span
  }

  /// When the session has to be looked at because of its age.
  func ageReminders(of provider: Provider?) -> [Instant] {
    guard let provider, let present = provider.present, let idle = idleTime(of: provider) else { return [] }
    let keepAlive = provider.definition.keepAlive.map { $0 - idle }
    let warning = present.refreshLifetime.map { $0 - Self.lead(before: $0) - age(of: present) }
    return [keepAlive, warning].compactMap { $0 }.map { now.boot + $0 }.filter { $0 > now.boot }
  }

  /// A phase to keep the session alive has brought nothing new, and yet did not fail: there is no refresh token
  /// to spend. The next one is due a whole period later.
  mutating func keptAlive(_ name: ProviderName) {
    let moment = moment
    providers[name]?.keptAlive = moment
    armTokenExpiry(name)
  }

  /// Says once for each token that its refresh token is about to expire.
  mutating func warnOfEnd(_ name: ProviderName) {
    guard let present = providers[name]?.present, let lifetime = present.refreshLifetime,
      providers[name]?.warnedToken != present.tokenGeneration
    else { return }
    let left = lifetime - age(of: present)
    guard left <= Self.lead(before: lifetime) else { return }
    providers[name]?.warnedToken = present.tokenGeneration
    effects.append(.report(.sessionEnds(name, in: max(.zero, left))))
  }

  private static func lead(before lifetime: Duration) -> Duration { min(warningLead, lifetime / 4) }

  /// How long ago the session was refreshed, or was found to need no more.
  private func idleTime(of provider: Provider) -> Duration? {
    guard let present = provider.present else { return nil }
    let age = age(of: present)
    return provider.keptAlive.map { min(age, $0.elapsed(until: now, in: bootID)) } ?? age
  }

  private func age(of present: Snapshot.Present) -> Duration {
    present.obtained.elapsed(until: now, in: bootID)
  }
}
