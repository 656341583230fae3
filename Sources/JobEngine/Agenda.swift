/// Deadlines in order: a binary heap with lazy removal.
///
/// An entry that no longer matters stays until it reaches the top; the engine recognises it there
/// (``Engine/dropStale()``), so that nothing has to be searched for.
struct Agenda<Deadline: Comparable & Sendable>: Sendable {
  struct Entry: Sendable {
    var deadline: Deadline
    var reminder: Reminder
  }

  private var heap: [Entry] = []

  var first: Entry? { heap.first }
  /// In no particular order.
  var entries: [Entry] { heap }
  var count: Int { heap.count }

  mutating func removeAll() { heap.removeAll(keepingCapacity: true) }

  mutating func insert(_ reminder: Reminder, at deadline: Deadline) {
    heap.append(Entry(deadline: deadline, reminder: reminder))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].deadline < heap[parent].deadline else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  @discardableResult
  mutating func removeFirst() -> Entry? {
    guard let first = heap.first, let last = heap.popLast() else { return nil }
    guard !heap.isEmpty else { return first }
    heap[0] = last
    var parent = 0
    while true {
      let left = 2 * parent + 1
      guard left < heap.count else { return first }
      let right = left + 1
      let child =
        right < heap.count && heap[right].deadline < heap[left].deadline ? right : left
      guard heap[child].deadline < heap[parent].deadline else { return first }
      heap.swapAt(child, parent)
      parent = child
    }
  }
}
