/// What callbacks delivered, for a test to wait for.
final class Events<Value> {
  private(set) var all: [Value] = []
  private var taken = 0
  private var waiting: CheckedContinuation<Void, Never>?

  func post(_ value: Value) {
    all.append(value)
    waiting?.resume()
    waiting = nil
  }

  /// The next event that nobody has taken.
  func next() async -> Value {
    while taken == all.count { await withCheckedContinuation { waiting = $0 } }
    taken += 1
    return all[taken - 1]
  }

  /// Waits until an event meets the condition, and returns it.
  func first(where condition: (Value) -> Bool) async -> Value {
    while true {
      let value = await next()
      if condition(value) { return value }
    }
  }
}
