import Scheduling

/// What `nightlatch calendar` prints for people.
struct CalendarDisplay {
  var world: Surroundings
  var base: WallTime

  func text(
    _ expression: String, _ canonical: String, _ elapses: [WallTime], _ anomalies: [ClockAnomaly]
  ) -> String {
    let times = world.times
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
