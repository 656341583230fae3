public import Scheduling

/// When an access token is valid in one boot, worked out once so that asking costs two comparisons.
///
/// Within the boot that obtained the token the boot clock decides, and no step of the wall clock can
/// starve or prolong it. In any other boot the wall clock decides, on the safe side.
public enum TokenValidity: Hashable, Sendable {
  /// There is no token.
  case never
  /// The server named no end.
  case always
  /// This boot obtained the token.
  case onBootClock(start: Instant, end: Instant)
  /// Another boot obtained the token. `start` is the earlier of two readings of that moment: our clock
  /// as it was, and as the server corrected it, which is right if it was wrong and has been set since.
  /// A wall clock before it has been set back, and the token's age is unknown. `uptimeEnd`: whatever
  /// the wall clock says, a token from an earlier boot is at least as old as this boot.
  case onWallClock(start: WallTime, end: WallTime, uptimeEnd: Instant)

  /// Whether the token is valid. Looks at the wall clock only if the answer depends on it.
  public func contains(boot: Instant, wall: @autoclosure () -> WallTime) -> Bool {
    switch self {
    case .never: return false
    case .always: return true
    case .onBootClock(let start, let end): return max(boot, start) < end
    case .onWallClock(let start, let end, let uptimeEnd):
      guard boot < uptimeEnd else { return false }
      let wall = wall()
      return start <= wall && wall < end
    }
  }

  /// How long the token is still valid, never less than zero and never more than its lifetime; nil
  /// when it has no end.
  public func timeLeft(at now: Now) -> Duration? {
    guard contains(boot: now.boot, wall: now.wall) else { return .zero }
    switch self {
    case .never: return .zero
    case .always: return nil
    case .onBootClock(let start, let end): return end - max(now.boot, start)
    case .onWallClock(_, let end, let uptimeEnd): return min(end - now.wall, uptimeEnd - now.boot)
    }
  }
}

extension Snapshot.Present {
  public var hasToken: Bool { tokenGeneration > 0 }

  public func tokenValidity(in bootID: BootID) -> TokenValidity {
    guard hasToken else { return .never }
    guard let lifetime else { return .always }
    if bootID == obtained.bootID { return .onBootClock(start: obtained.boot, end: obtained.boot + lifetime) }
    let start = min(obtained.wall, obtained.wall + skew)
    let bootStart = Instant(microseconds: 0)
    return .onWallClock(start: start, end: start + lifetime, uptimeEnd: bootStart + lifetime)
  }

  /// How long the access token is still valid; nil when it never expires as far as we know; zero when
  /// there is none, or when its age can't be told.
  public func tokenTimeLeft(at now: Now, in bootID: BootID) -> Duration? {
    tokenValidity(in: bootID).timeLeft(at: now)
  }
}
