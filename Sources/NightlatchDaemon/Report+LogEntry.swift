import AuthModel
import JobEngine
import LinuxPlatform
import Scheduling

extension Report {
  /// The journal entry that tells it: a sentence for people, fields for programs.
  var logEntry: LogEntry {
    switch self {
    case .verdict(let record): record.verdictEntry
    case .runStarted(let record):
      record.entry("started (attempt \(record.attempt))", .runStarted, .info)
    case .runInterrupted(let record):
      record.entry(
        "was interrupted in attempt \(record.attempt)\(record.why); the same due is started again",
        .runInterrupted, .warning, verdict: "interrupted")
    case .retryScheduled(let record, let delay):
      record.entry(
        "failed in attempt \(record.attempt)\(record.why); the next attempt is in \(delay.short)",
        .retryScheduled, .notice)
    case .tokenRefused(let record):
      record.entry(
        "could not use its access token (generation \(record.tokenGeneration ?? 0)); it waits for "
          + (record.reason == Reason.tokenRefusedAgain.text
            ? "another, and none is asked for: the one before was refused as well" : "the next one"),
        .tokenRefused, .warning)
    case .tokenAlwaysTooShort(let record, let lifetime, let wanted):
      record.entry(
        "got a token that lives \(lifetime.short), less than its min_token_lifetime of \(wanted.short); lower it, the provider never gives more",
        .configurationProblem, .warning)
    case .phaseStarted, .phaseSucceeded, .phaseFailed, .providerParked, .loginRequired, .sessionEnds,
      .spentTokenReturned, .authStateChanged:
      providerEntry
    case .clockStepped:
      LogEntry(
        "The wall clock was set: calendar dues are recomputed, none is run twice.", priority: .notice,
        messageID: MessageID.clockStepped.rawValue)
    case .clockDoubted(let doubt, let now):
      LogEntry(
        "T\(doubt.text(at: now).dropFirst()).", priority: .warning,
        messageID: MessageID.clockDoubted.rawValue)
    case .clockBelieved:
      LogEntry(
        "The clock is trusted: calendar dues go on from the last one that was decided.", priority: .notice,
        messageID: MessageID.clockBelieved.rawValue)
    }
  }

  private var providerEntry: LogEntry {
    switch self {
    case .phaseStarted(let name, let verb):
      name.entry("foreground phase: \(verb.rawValue) started", .phaseStarted, .info)
    case .phaseSucceeded(let name, let verb):
      name.entry("foreground phase: \(verb.rawValue) succeeded", .phaseSucceeded, .info)
    case .phaseFailed(let name, let outcome, let detail, let retryAfter):
      name.entry(
        "foreground phase failed: \(detail)"
          + (retryAfter.map { "; the next one is in \($0.short) at the earliest" } ?? ""),
        outcome == .lostRotation ? .lostRotation : .phaseFailed,
        outcome == .lostRotation ? .error : .warning, reason: outcome?.name)
    case .providerParked(let name, let detail, let needsLogin):
      name.entry(
        "nothing more is tried: \(detail)"
          + (needsLogin
            ? "; run 'nightlatch login \(name)'" : ". Mend it, then run 'nightlatch reload'"),
        needsLogin ? .loginRequired : .providerParked, .error)
    case .sessionEnds(let name, let left):
      name.entry(
        "the refresh token expires in \(left.short): run 'nightlatch refresh \(name)', or 'nightlatch login \(name)' if the provider does not prolong it",
        .sessionEnds, .warning)
    case .loginRequired(let name, let reason, let blocked):
      name.entry(
        "no session (\(reason.words)): run 'nightlatch login \(name)'"
          + (blocked > 0 ? "; \(blocked.of("deferred run")) wait\(blocked == 1 ? "s" : "") for it" : ""),
        .loginRequired, .warning, state: "unauthenticated", reason: "\(reason)")
    case .spentTokenReturned(let name, let detail):
      name.entry(detail, .spentTokenReturned, .warning, reason: AttemptClass.spentToken.name)
    case .authStateChanged(let name, let state):
      name.entry("session is \(state.name)\(state.detail)", nil, .info, state: state.name)
    default: LogEntry("")
    }
  }
}

extension ProviderName {
  fileprivate func entry(
    _ text: String, _ id: MessageID?, _ priority: LogEntry.Priority, state: String? = nil,
    reason: String? = nil
  ) -> LogEntry {
    var fields = [(name: "NIGHTLATCH_PROVIDER", value: description)]
    if let state { fields.append(("NIGHTLATCH_AUTH_STATE", state)) }
    if let reason { fields.append(("NIGHTLATCH_REASON", reason)) }
    return LogEntry("\(self): \(text)", priority: priority, messageID: id?.rawValue, fields: fields)
  }
}

extension AuthState {
  fileprivate var detail: String {
    switch self {
    case .authenticated(let user), .authenticatedUnverified(let user): " (\(user.name ?? user.id))"
    case .unauthenticated(let reason): " (\(reason.words))"
    case .notReady(let reason): " (\(reason.words))"
    }
  }
}

extension Duration {
  /// For sentences: milliseconds below a second, tenths below a minute, systemd's spelling above.
  var short: String {
    if self < .seconds(1) { return "\(wholeMicroseconds / 1_000)ms" }
    let tenths = wholeMicroseconds / 100_000
    if self < .seconds(60) { return tenths % 10 == 0 ? "\(tenths / 10)s" : "\(tenths / 10).\(tenths % 10)s" }
    return Duration.seconds(tenths / 10).timeSpan
  }
}
