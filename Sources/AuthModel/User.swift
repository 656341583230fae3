/// Who a session belongs to.
///
/// One reference inside: a state that names a user is copied at every read of the auth cache.
public struct User: Hashable, Sendable {
  private var fields: Fields

  public init(id: String, name: String? = nil) { fields = Fields(id: id, name: name) }

  /// The provider's stable identifier (the `sub` claim).
  public var id: String {
    get { fields.id }
    set { fields = Fields(id: newValue, name: name) }
  }

  /// A name for people, if the provider gave one.
  public var name: String? {
    get { fields.name }
    set { fields = Fields(id: id, name: newValue) }
  }

  private final class Fields: Hashable, Sendable {
    let id: String
    let name: String?

    init(id: String, name: String?) {
      self.id = id
      self.name = name
    }

    static func == (left: Fields, right: Fields) -> Bool {
      left === right || (left.id == right.id && left.name == right.name)
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(id)
      hasher.combine(name)
    }
  }
}
