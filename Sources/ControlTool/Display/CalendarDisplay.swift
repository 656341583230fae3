import Scheduling

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
