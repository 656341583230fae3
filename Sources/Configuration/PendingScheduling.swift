import Scheduling

// Stands in for the expression parsers until Scheduling has them.
struct ScheduleError: Error {
  var message: String
  var column: Int
}

extension Duration {
  init(timeSpan text: String) throws(ScheduleError) {
    throw ScheduleError(message: "time spans are not understood yet", column: 0)
  }
}
