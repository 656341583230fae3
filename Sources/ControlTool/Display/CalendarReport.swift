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

/// What `nightlatch calendar` prints for people.
struct CalendarDisplay {
  var world: Surroundings
  var base: WallTime

  func text(
    _ expression: String, _ canonical: String, _ elapses: [WallTime], _ anomalies: [SchedulePreview.Anomaly]
  ) -> String {
    let times = world.times
    var details = Details()
    details.add("canonical", canonical)
    if elapses.isEmpty { details.add("next", "never", .warning) }
    for (index, time) in elapses.enumerated() { details.add(index == 0 ? "next" : "then", times.full(time)) }
    for anomaly in anomalies { details.add("beware", words(for: anomaly), .warning) }
    return world.styled(expression, .bold) + "\n" + details.text(for: world.terminal)
  }

  private func words(for anomaly: SchedulePreview.Anomaly) -> String {
    let (from, to) = (clock(anomaly.from), clock(anomaly.to))
    return switch anomaly.kind {
    case .gap: "\(from) to \(to) does not exist in \(anomaly.zone)"
    case .repeated: "\(from) to \(to) comes twice in \(anomaly.zone)"
    }
  }

  private func clock(_ time: WallTime) -> String {
    String(time.rfc3339.dropLast()).replacing("T", with: " ")
  }
}
