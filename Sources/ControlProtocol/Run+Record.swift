import AuthModel
public import JobEngine
import Scheduling

extension Run {
  /// The ledger's record of a due, for the wire.
  public init(_ record: RunRecord) {
    let (exitCode, signal) = record.exit.map(Self.numbers(of:)) ?? (nil, nil)
    self.init(
      run: record.id.description, job: record.job.description, due: Timestamp(record.dueAt),
      dueKind: DueKind(record.due), state: record.state.rawValue, reason: record.reason,
      attempt: record.attempt, failures: record.failures, covers: record.covers,
      provider: record.provider?.description, authState: record.authState, priority: record.priority,
      created: Timestamp(record.created.wall), deferred: record.deferred.map { Timestamp($0.wall) },
      deferredUntil: record.deferredUntil.map { Timestamp($0) },
      started: record.started.map { Timestamp($0.wall) }, ended: record.ended.map { Timestamp($0.wall) },
      exitCode: exitCode, signal: signal, lateness: record.lateness.map { Microseconds($0) },
      tokenGeneration: record.tokenGeneration)
  }

  static func numbers(of exit: ExitStatus) -> (exitCode: Int?, signal: Int?) {
    switch exit {
    case .exited(let code): (Int(code), nil)
    case .signaled(let number): (nil, Int(number))
    case .unknown: (nil, nil)
    }
  }
}

extension Run.DueKind {
  init(_ due: Due) {
    switch due {
    case .calendar: self = .calendar
    case .interval: self = .interval
    case .request: self = .request
    }
  }
}
