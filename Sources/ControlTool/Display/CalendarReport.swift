import ControlProtocol
import Scheduling

/// What `nightlatch calendar --json` prints of an expression.
struct CalendarReport: Encodable {
  var expression: String
  var canonical: String
  var elapses: [Timestamp]
  var anomalies: [Anomaly]

  /// `from` and `to` are what the clock on the wall shows, without an offset.
  struct Anomaly: Encodable {
    var kind: String
    var time: Timestamp
    var zone: String
    var from: String
    var to: String
  }

  init(
    _ expression: String, _ canonical: String, _ elapses: [WallTime], _ anomalies: [SchedulePreview.Anomaly]
  ) {
    self.expression = expression
    self.canonical = canonical
    self.elapses = elapses.map { Timestamp($0) }
    self.anomalies = anomalies.map {
      Anomaly(
        kind: $0.kind.rawValue, time: Timestamp($0.time), zone: $0.zone,
        from: String($0.from.rfc3339.dropLast()), to: String($0.to.rfc3339.dropLast()))
    }
  }
}

/// What `nightlatch calendar --json` prints of a text that is no expression.
struct CalendarFailure: Encodable {
  var expression: String
  var error: String
  var column: Int
}
