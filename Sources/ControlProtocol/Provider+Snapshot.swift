public import AuthModel
public import Scheduling

extension Provider {
  /// What the auth cache says of a provider; the caller adds its phases and its queue.
  ///
  /// `state` is what the cache's reader made of the snapshot; `snapshot` is nil when there is none that
  /// can be read.
  public init(
    _ name: ProviderName, kind: String, state: AuthState, snapshot: Snapshot?, at now: Now, in bootID: BootID
  ) {
    self.init(provider: name.description, kind: kind, authState: state.name)
    user = state.user.map { User($0) }
    reason = state.reason
    guard let snapshot else { return }
    spend = "\(snapshot.spend)"
    lastAttempt = snapshot.lastAttempt.map { RefreshAttempt($0) }
    since = Timestamp(snapshot.published.wall)
    guard case .present(let present) = snapshot.session else { return }
    sessionEnds = present.refreshLifetime.map { Timestamp(present.ends(after: $0, at: now, in: bootID)) }
    verified = present.verifiedIn == bootID
    guard present.hasToken else { return }
    tokenGeneration = present.tokenGeneration
    let end = present.lifetime.map { present.ends(after: $0, at: now, in: bootID) }
    tokenExpires = end.map { Timestamp($0) }
    switch state {
    case .authenticated: since = Timestamp(present.obtained.wall)
    case .authenticatedUnverified: if let end, end <= now.wall { since = Timestamp(end) }
    case .unauthenticated, .notReady: break
    }
  }

  private init(provider: String, kind: String, authState: String) {
    self.provider = provider
    self.kind = kind
    self.authState = authState
  }
}

extension Provider.User {
  init(_ user: AuthModel.User) {
    self.init(id: user.id, name: user.name)
    email = user.email
    username = user.username
    linkedAccounts = user.linkedAccounts.map { .init(kind: $0.kind, identifier: $0.identifier) }
  }
}

extension AuthState {
  /// The name of the reason for being logged out or not ready; nil otherwise.
  public var reason: String? {
    switch self {
    case .authenticated, .authenticatedUnverified: nil
    case .unauthenticated(let reason): "\(reason)"
    case .notReady(let reason): "\(reason)"
    }
  }
}

extension Snapshot.Present {
  /// When what lives so long from ``obtained`` expires or has expired, as the wall clock shows it now. Within a
  /// boot it is measured on the boot clock, so that a step of the wall clock moves it along.
  fileprivate func ends(after lifetime: Duration, at now: Now, in bootID: BootID) -> WallTime {
    guard bootID == obtained.bootID else { return obtained.wall + lifetime }
    return now.wall + (lifetime - (now.boot - obtained.boot))
  }
}
