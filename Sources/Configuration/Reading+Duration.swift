import Scheduling

extension Reading<Duration> {
  /// A time span in systemd's notation (systemd.time(7), "Parsing Time Spans").
  static func timeSpan(from least: Duration = .zero, to most: Duration = .seconds(100 * 31_557_600))
    -> Reading
  {
    text("a time span such as \"90s\" or \"1h 30min\"") { text, value, place in
      do throws(ScheduleError) {
        let span = try Duration(timeSpan: text)
        if (least...most).contains(span) { return span }
        let expected = "a time span from \(least.timeSpan) to \(most.timeSpan)"
        place.report("\(place.key) is \(text.quoted), but \(expected) is expected", at: value.begin)
      } catch {
        place.report(error, at: value)
      }
      return nil
    }
  }
}

extension Place {
  /// What an expression's grammar complains about, inside the string if that can be told.
  func report(_ error: ScheduleError, at value: TOMLValue, zoneNames: () -> [String] = { [] }) {
    var hint = ""
    if case .unknownZone(let name) = error.fault, let near = nearest(to: name, among: zoneNames()) {
      hint = "; did you mean \(near.quoted)?"
    }
    let found = "\(key) \(error.text.quoted) is no \(error.grammar.rawValue)"
    report("\(found): \(error.reason)\(hint)", at: value.position(ofScalar: error.column - 1))
  }
}
