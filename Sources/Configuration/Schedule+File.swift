import Scheduling

extension Schedule {
  mutating func readKeys(of section: Section, zones: ZoneSource) {
    zone = section.read("timezone", .zone(zones)) ?? zones.local
    section.read("dst", .choice(), into: &daylightSaving)
    let calendar = Reading.calendar(zones, zone: zone, dst: daylightSaving)
    let cron = Reading.cron(zone: zone, dst: daylightSaving)
    calendars = section.read("calendar", .oneOrMore(calendar)) ?? []
    calendars += section.read("cron", .oneOrMore(cron)) ?? []
    section.read("every", .oneOrMore(.timeSpan(from: .milliseconds(10))), into: &intervals)
    section.read("after_boot", .oneOrMore(.timeSpan()), into: &afterBoot)
    section.read("after_start", .oneOrMore(.timeSpan()), into: &afterStart)
    section.read("randomized_delay", .timeSpan(), into: &randomizedDelay)
    section.read("missed", .choice(), into: &missed)
    section.read("missed_limit", .integer(in: 1...100_000), into: &missedLimit)
  }
}

extension Reading<CalendarTrigger> {
  static func calendar(_ zones: ZoneSource, zone: TimeZoneRules, dst: DaylightSavingPolicy) -> Reading {
    expression("a calendar expression such as \"Mon..Fri 9:00\"", zone, dst, zoneNames: zones.names) {
      (text) throws(ScheduleError) in
      .calendar(try CalendarExpression(parsing: text, zones: zones.find))
    }
  }

  static func cron(zone: TimeZoneRules, dst: DaylightSavingPolicy) -> Reading {
    expression("a cron expression such as \"0 9 * * 1-5\"", zone, dst) { (text) throws(ScheduleError) in
      .cron(try CronExpression(parsing: text))
    }
  }

  /// An expression that is due at least once after 1970. A date that has merely passed is no mistake:
  /// whether it has depends on a clock, and the file was right when it was written.
  private static func expression(
    _ expected: String, _ zone: TimeZoneRules, _ dst: DaylightSavingPolicy,
    zoneNames: @escaping () -> [String] = { [] },
    _ parse: @escaping (String) throws(ScheduleError) -> CalendarTrigger
  ) -> Reading {
    text(expected) { text, value, place in
      do throws(ScheduleError) {
        let trigger = try parse(text)
        if trigger.canElapse(after: WallTime(seconds: 0), zone: zone, dst: dst) { return trigger }
        place.report(
          "\(place.key) \(text.quoted) never comes: there is no such date and time", at: value.begin)
      } catch {
        place.report(error, at: value, zoneNames: zoneNames)
      }
      return nil
    }
  }
}

extension Reading<TimeZoneRules> {
  static func zone(_ zones: ZoneSource) -> Reading {
    text("the name of a time zone such as \"Europe/Berlin\"") { text, value, place in
      if let zone = zones.find(text) { return zone }
      let hint = nearest(to: text, among: zones.names()).map { "; did you mean \($0.quoted)?" } ?? ""
      place.report(
        "\(place.key) is \(text.quoted), but this system has no such time zone\(hint)", at: value.begin)
      return nil
    }
  }
}
