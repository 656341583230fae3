import Scheduling

extension Reading<Duration> {
  /// A time span in systemd's notation (systemd.time(7)), from `least` to `most`, both time spans as well.
  static func timeSpan(from least: String = "0", to most: String = "100y") -> Reading {
    text("a time span such as \"90s\" or \"1h 30min\"") { text, value, place in
      do throws(ScheduleError) {
        let span = try Duration(timeSpan: text)
        if try Duration(timeSpan: least) <= span, try span <= Duration(timeSpan: most) { return span }
        place.report(
          "\(place.key) is \(text.quoted), but a time span from \(least) to \(most) is expected",
          at: value.begin)
      } catch {
        place.report("\(place.key): \(error.message)", at: value.position(ofScalar: error.column))
      }
      return nil
    }
  }
}
