import Scheduling

extension Schedule {
  mutating func readKeys(of section: Section, zones: @escaping ZoneLookup) {
    section.read("every", .oneOrMore(.timeSpan(from: "10ms")), into: &intervals)
    section.read("after_boot", .oneOrMore(.timeSpan()), into: &afterBoot)
    section.read("after_start", .oneOrMore(.timeSpan()), into: &afterStart)
    section.read("randomized_delay", .timeSpan(), into: &randomizedDelay)
    section.read("dst", .choice(), into: &daylightSaving)
    section.read("missed", .choice(), into: &missed)
    section.read("missed_limit", .integer(in: 1...100_000), into: &missedLimit)
  }
}
