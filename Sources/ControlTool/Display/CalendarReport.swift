import ControlProtocol
import Scheduling

/// What `nightlatch calendar --json` prints of an expression.
struct CalendarReport: Encodable {
  var expression: String
  var canonical: String
  /// Fewer than were asked for when it ends; none when it never comes.
  var elapses: [Timestamp]
  var anomalies: [Anomaly]

  /// `from`, `to` and `due` are what the clock on the wall shows, without an offset.
  struct Anomaly: Encodable {
    var kind: String
    /// When the clocks change.
    var time: Timestamp
    var zone: String
    var from: String
    var to: String
    /// The first due within.
    var due: String
    var message: String

    init(_ anomaly: ClockAnomaly) {
      kind = anomaly.kind.rawValue
      time = Timestamp(anomaly.time)
      zone = anomaly.zone.name
      from = String(anomaly.from.rfc3339.dropLast())
      to = String(anomaly.to.rfc3339.dropLast())
      due = String(anomaly.due.rfc3339.dropLast())
      message = anomaly.text
    }
  }

  init(_ expression: String, _ canonical: String, _ elapses: [WallTime], _ anomalies: [ClockAnomaly]) {
    self.expression = expression
    self.canonical = canonical
    self.elapses = elapses.map { Timestamp($0) }
    self.anomalies = anomalies.map { Anomaly($0) }
  }
}

/// What `nightlatch calendar --json` prints of a text that is no expression.
struct CalendarFailure: Encodable {
  var expression: String
  var error: String
  var column: Int
}
