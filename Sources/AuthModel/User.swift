/// Who a session belongs to.
///
/// One reference inside: a state that names a user is copied at every read of the auth cache.
public struct User: Hashable, Sendable {
  private var box: Box

  public init(
    id: String, name: String? = nil, email: String? = nil, username: String? = nil,
    linkedAccounts: [LinkedAccount] = []
  ) {
    box = Box(
      Claims(id: id, name: name, email: email, username: username, linkedAccounts: linkedAccounts))
  }

  /// The provider's stable identifier (the `sub` claim).
  public var id: String {
    get { box.claims.id }
    set { change { $0.id = newValue } }
  }

  /// A name for people, if the provider gave one.
  public var name: String? {
    get { box.claims.name }
    set { change { $0.name = newValue } }
  }

  /// The `email` claim. Whether the provider has verified it is not said: nothing may be decided by it.
  public var email: String? {
    get { box.claims.email }
    set { change { $0.email = newValue } }
  }

  /// The `preferred_username` claim: for people, neither stable nor unique (OpenID Connect Core section 5.7).
  public var username: String? {
    get { box.claims.username }
    set { change { $0.username = newValue } }
  }

  /// What else the person has with this provider, in the provider's order.
  public var linkedAccounts: [LinkedAccount] {
    get { box.claims.linkedAccounts }
    set { change { $0.linkedAccounts = newValue } }
  }

  public static func == (left: User, right: User) -> Bool {
    left.box === right.box || left.box.claims == right.box.claims
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(box.claims) }

  private mutating func change(_ change: (inout Claims) -> Void) {
    var claims = box.claims
    change(&claims)
    box = Box(claims)
  }

  private struct Claims: Hashable, Sendable {
    var id: String
    var name: String?
    var email: String?
    var username: String?
    var linkedAccounts: [LinkedAccount]
  }

  private final class Box: Sendable {
    let claims: Claims

    init(_ claims: Claims) { self.claims = claims }
  }
}
