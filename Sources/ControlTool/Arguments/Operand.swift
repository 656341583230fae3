/// An argument without dashes.
nonisolated struct Operand: Hashable, Sendable {
  var name: String
  var count: Count
  var completion: Completion

  nonisolated enum Count: Hashable, Sendable {
    case one, optional, any, some
  }

  init(_ name: String, _ count: Count = .one, completion: Completion = .nothing) {
    self.name = name
    self.count = count
    self.completion = completion
  }

  var usage: String {
    switch count {
    case .one: name
    case .optional: "[\(name)]"
    case .any: "[\(name)...]"
    case .some: "\(name)..."
    }
  }

  var isRequired: Bool { count == .one || count == .some }
  var isRepeated: Bool { count == .any || count == .some }
}
