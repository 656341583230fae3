public import Scheduling

/// What a look at the auth cache found: a whole snapshot, or why there is none.
public enum SnapshotReading: Hashable, Sendable {
  case snapshot(Snapshot)
  case notReady(NotReadyReason)

  public var snapshot: Snapshot? {
    switch self {
    case .snapshot(let snapshot): snapshot
    case .notReady: nil
    }
  }

  /// The auth state at `now`; `.notReady` where there is no snapshot to compute it from.
  public func authState(at now: Now, in bootID: BootID) -> AuthState {
    authStateForecast(in: bootID).state(boot: now.boot, wall: now.wall)
  }

  public func authStateForecast(in bootID: BootID) -> AuthStateForecast {
    switch self {
    case .snapshot(let snapshot): snapshot.authStateForecast(in: bootID)
    case .notReady(let reason): AuthStateForecast(constant: .notReady(reason))
    }
  }
}
