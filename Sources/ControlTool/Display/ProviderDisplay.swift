import AuthModel
import ControlProtocol
import Scheduling

/// A provider's session in words.
enum ProviderDisplay {
  static func style(_ state: String) -> Style {
    switch state {
    case "authenticated": .good
    case "authenticatedUnverified": .warning
    case "unauthenticated": .bad
    default: .dim
    }
  }

  /// The state in a word or two, for narrow tables.
  static func brief(_ state: String) -> String {
    switch state {
    case "authenticated": "verified"
    case "authenticatedUnverified": "unverified"
    case "unauthenticated": "no session"
    case "notReady": "not ready"
    default: state
    }
  }

  /// The state and why, for one line: `authenticated as alice, token expires in 42min`.
  static func line(_ provider: Provider, _ times: TimeDisplay) -> String {
    var parts = [provider.authState + (user(of: provider).map { " as \($0)" } ?? "")]
    if let reason = provider.reason { parts[0] += " (\(words(for: reason)))" }
    if let token = token(of: provider, times) { parts.append("token \(token)") }
    if provider.phase != .idle { parts.append(phase(of: provider, times)) }
    if provider.deferred > 0 { parts.append("\(provider.deferred) deferred") }
    if let blocked = provider.blocked { parts.append("blocked: \(blocked)") }
    return parts.joined(separator: ", ")
  }

  static func user(of provider: Provider) -> String? { provider.user.map { $0.name ?? $0.id } }

  /// `expires in 42min`, `expired 2h ago`, or nil when there is no token or no end of it.
  static func token(of provider: Provider, _ times: TimeDisplay) -> String? {
    guard let expires = provider.tokenExpires else {
      return provider.tokenGeneration == nil ? nil : "does not expire"
    }
    let word = expires.wall > times.now ? "expires" : "expired"
    return "\(word) \(times.relative(expires.wall))"
  }

  static func phase(of provider: Provider, _ times: TimeDisplay) -> String {
    switch provider.phase {
    case .running: "refreshing now"
    case .backingOff where provider.authState == "unauthenticated": "waits for a login"
    // Its time has come, and nothing needs it.
    case .backingOff where isBackoffOver(provider, times): "waits for work that needs it"
    case .backingOff: "next try" + (provider.nextPhase.map { " \(times.relative($0.wall))" } ?? " later")
    case .parked: "parked until a reload, a login or a refresh by hand"
    case .idle: "idle"
    }
  }

  static func isBackoffOver(_ provider: Provider, _ times: TimeDisplay) -> Bool {
    provider.nextPhase.map { $0.wall <= times.now } ?? false
  }

  /// `success 3min ago`, `transient 2h ago (4 in a row)`.
  static func attempt(of provider: Provider, _ times: TimeDisplay) -> String? {
    guard let attempt = provider.lastAttempt else { return nil }
    let failures = attempt.failures > 0 ? " (\(attempt.failures) in a row)" : ""
    return "\(attempt.words) \(times.relative(attempt.ended.wall))\(failures)"
  }

  /// The reason's name as a phrase; the name itself when a newer daemon has another.
  static func words(for reason: String) -> String {
    UnauthenticatedReason.allCases.first { "\($0)" == reason }?.words
      ?? NotReadyReason.allCases.first { "\($0)" == reason }?.words ?? reason
  }
}
