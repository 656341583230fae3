import AuthModel
import JobEngine

/// A ``RunFilter`` in SQL. The text depends on which conditions there are, not on their values, so each
/// combination is prepared once.
struct RunConditions {
  private let filter: RunFilter
  private let states: [RunState]

  init(_ filter: RunFilter) {
    self.filter = filter
    states = filter.states.map { $0.sorted { $0.rawValue < $1.rawValue } } ?? []
  }

  var sql: String {
    var conditions: [String] = []
    if filter.job != nil { conditions.append("job = ?") }
    if filter.states != nil {
      conditions.append("state IN (\(states.map { _ in "?" }.joined(separator: ", ")))")
    }
    if filter.provider != nil { conditions.append("provider = ?") }
    if filter.before != nil { conditions.append("(due_at, id) < (?, ?)") }
    let whole = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
    return "SELECT \(RunRecord.columns) FROM runs \(whole) ORDER BY due_at DESC, id DESC LIMIT ?"
  }

  func bind(to binder: inout Binder) {
    if let job = filter.job { binder.text(job.description) }
    for state in states { binder.text(state.rawValue) }
    if let provider = filter.provider { binder.text(provider.description) }
    if let position = filter.before {
      binder.wall(position.dueAt)
      binder.id(position.id)
    }
    binder.integer(min(max(1, filter.limit), 1000))
  }
}
