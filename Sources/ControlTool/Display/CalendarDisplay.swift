import Scheduling

/// What `nightlatch calendar` prints for people: times as a clock in the schedule's zone shows them.
struct CalendarDisplay {
  var world: Surroundings
  var zone: TimeZoneRules

  func text(
    _ expression: String, _ canonical: String, _ elapses: [WallTime], _ anomalies: [ClockAnomaly]
  ) -> String {
    let times = TimeDisplay(now: world.now().wall, zone: zone)
    var details = Details()
    details.add("canonical", canonical)
    if elapses.isEmpty { details.add("next", "never", .warning) }
    for (index, time) in elapses.enumerated() {
      details.add(index == 0 ? "next" : "then", "\(times.precise(time)) (\(times.relative(time)))")
    }
    for anomaly in anomalies { details.add("beware", anomaly.text, .warning) }
    return world.styled(expression, .bold) + "\n" + details.text(for: world.terminal)
  }
}
