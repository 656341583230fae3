/// Who a session belongs to.
///
/// One reference inside: a state that names a user is copied at every read of the auth cache.
public struct User: Hashable, Sendable {
  private var fields: Fields

  public init(id: String, name: String? = nil, linkedAccounts: [LinkedAccount] = []) {
    fields = Fields(id: id, name: name, linkedAccounts: linkedAccounts)
  }

  /// The provider's stable identifier (the `sub` claim).
  public var id: String {
    get { fields.id }
    set { fields = Fields(id: newValue, name: name, linkedAccounts: linkedAccounts) }
  }

  /// A name for people, if the provider gave one.
  public var name: String? {
    get { fields.name }
    set { fields = Fields(id: id, name: newValue, linkedAccounts: linkedAccounts) }
  }

  /// Other accounts of the same person that the provider vouches for, in its order.
  public var linkedAccounts: [LinkedAccount] {
    get { fields.linkedAccounts }
    set { fields = Fields(id: id, name: name, linkedAccounts: newValue) }
  }

  private final class Fields: Hashable, Sendable {
    let id: String
    let name: String?
    let linkedAccounts: [LinkedAccount]

    init(id: String, name: String?, linkedAccounts: [LinkedAccount]) {
      self.id = id
      self.name = name
      self.linkedAccounts = linkedAccounts
    }

    static func == (left: Fields, right: Fields) -> Bool {
      left === right
        || (left.id == right.id && left.name == right.name && left.linkedAccounts == right.linkedAccounts)
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(id)
      hasher.combine(name)
      hasher.combine(linkedAccounts)
    }
  }
}
