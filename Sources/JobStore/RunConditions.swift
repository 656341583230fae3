import AuthModel
import JobEngine

/// One query of the history: a ``RunFilter`` whose states have been taken apart, each being a range of an
/// index of its own. The text depends on which conditions there are, not on their values, so that each
/// combination is prepared once.
struct RunConditions {
  let filter: RunFilter
  let state: RunState?

  var sql: String {
    var conditions: [String] = []
    if filter.job != nil { conditions.append("job = ?") }
    if state != nil { conditions.append("state = ?") }
    if filter.provider != nil { conditions.append("provider = ?") }
    if filter.before != nil { conditions.append("(due_at, id) < (?, ?)") }
    let whole = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
    return """
      SELECT \(RunRecord.columns) FROM runs INDEXED BY \(index) \(whole) \
      ORDER BY due_at DESC, id DESC LIMIT ?
      """
  }

  /// Each ends in (due_at, id): the answer comes in order, and the query ends with its page.
  private var index: String {
    if filter.job != nil { return "runs_by_job" }
    return state == nil ? "runs_by_due" : "runs_by_state"
  }

  func bind(to binder: inout Binder) {
    if let job = filter.job { binder.text(job.description) }
    if let state { binder.text(state.rawValue) }
    if let provider = filter.provider { binder.text(provider.description) }
    if let position = filter.before {
      binder.wall(position.dueAt)
      binder.id(position.id)
    }
    binder.integer(filter.boundedLimit)
  }
}

extension RunFilter {
  var boundedLimit: Int { min(max(1, limit), 1000) }

  var parts: [RunConditions] {
    guard let states else { return [RunConditions(filter: self, state: nil)] }
    return states.map { RunConditions(filter: self, state: $0) }
  }
}
