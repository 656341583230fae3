import Scheduling
import SeededRandom
import Testing

@Suite struct TimeZoneRulesTests {
  private func rules(_ file: TZifBytes) throws(TimeZoneError) -> TimeZoneRules {
    try TimeZoneRules(name: "Test/Zone", tzif: file.bytes)
  }

  private func footer(_ text: String) throws(TimeZoneError) -> TimeZoneRules {
    try rules(TZifBytes(footer: text))
  }

  @Test func `each instant has the offset of its segment`() throws {
    for version: UInt8 in [0, UInt8(ascii: "2"), UInt8(ascii: "3"), UInt8(ascii: "4")] {
      let zone = try rules(
        TZifBytes(
          version: version, times: [1_000_000, 2_000_000], indices: [1, 0],
          types: [(3_600, 0, 0), (7_200, 1, 4)], names: "CET\0CEST\0", footer: "CET-1"))
      let offsets = [0, 999_999, 1_000_000, 1_999_999, 2_000_000, 9_999_999_999].map {
        zone.offset(at: WallTime(seconds: $0))
      }
      #expect(offsets.map(\.abbreviation) == ["CET", "CET", "CEST", "CEST", "CET", "CET"])
      #expect(offsets.map(\.duration) == [1, 1, 2, 2, 1, 1].map { .seconds($0 * 3_600) })
      #expect(offsets.map(\.isDaylightSaving) == [false, false, true, true, false, false])
    }
  }

  /// A POSIX rule, and its two changes after 2023-01-01 or 2024-01-01 00:00 UTC.
  static let footers: [(String, [String])] = [
    ("EST5EDT,M3.2.0,M11.1.0", ["2023-03-12T07:00:00Z", "2023-11-05T06:00:00Z", "2024-03-10T07:00:00Z"]),
    ("EST5EDT", ["2023-03-12T07:00:00Z", "2023-11-05T06:00:00Z"]),
    ("CET-1CEST,M3.5.0,M10.5.0/3", ["2023-03-26T01:00:00Z", "2023-10-29T01:00:00Z"]),
    ("AEST-10AEDT,M10.1.0,M4.1.0/3", ["2023-04-01T16:00:00Z", "2023-09-30T16:00:00Z"]),
    ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", ["2023-04-01T15:00:00Z", "2023-09-30T15:30:00Z"]),
    ("IST-1GMT0,M10.5.0,M3.5.0/1", ["2023-03-26T01:00:00Z", "2023-10-29T01:00:00Z"]),
    // Days before the first of a month, and times beyond a day and before it (RFC 9636, section 3.3.1).
    ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", ["2023-03-26T01:00:00Z", "2023-10-29T01:00:00Z"]),
    ("IST-2IDT,M3.4.4/26,M10.5.0", ["2023-03-24T00:00:00Z", "2023-10-28T23:00:00Z"]),
    ("EET-2EEST,M3.4.4/50,M10.4.4/50", ["2023-03-25T00:00:00Z", "2023-10-27T23:00:00Z"]),
    // Leap days are skipped by Jn and counted by n.
    ("XST0XDT,J60/0,J61/0", ["2023-03-01T00:00:00Z", "2023-03-01T23:00:00Z", "2024-03-01T00:00:00Z"]),
    ("XST0XDT,59/0,60/0", ["2023-03-01T00:00:00Z", "2023-03-01T23:00:00Z", "2024-02-29T00:00:00Z"]),
    ("XST0XDT,M2.5.1/0,M2.5.5/0", ["2023-02-27T00:00:00Z", "2023-02-23T23:00:00Z"].sorted()),
  ]

  @Test(arguments: footers) func `the rule for later years is POSIX's`(rule: String, changes: [String]) throws
  {
    let start = try time("2023-01-01T00:00:00Z")
    let found = try footer(rule).transitions(after: start).prefix(changes.count)
    #expect(found.map(\.time.rfc3339) == changes)
  }

  @Test func `a rule can make daylight saving permanent`() throws {
    let zone = try footer("XXX3EDT4,0/0,J365/23")
    let end = try time("2500-01-01T00:00:00Z")
    let changes = zone.transitions(after: try time("1990-01-01T00:00:00Z")).prefix { $0.time < end }
    #expect(Array(changes).isEmpty)
    #expect(zone.offset(at: try time("2024-07-01T00:00:00Z")).abbreviation == "EDT")
  }

  @Test func `the rule holds for ever`() throws {
    let zone = try footer("CET-1CEST,M3.5.0,M10.5.0/3")
    for year in stride(from: 2_000, through: 290_000, by: 400) {
      let text = year > 9_999 ? "+\(year)" : "\(year)"
      let change = zone.nextTransition(after: try time("\(text)-01-01T00:00:00Z"))
      #expect(change?.time == (try time("\(text)-03-26T01:00:00Z")))
      #expect(change?.shift == .seconds(3_600))
    }
    #expect(zone.offset(at: WallTime(microseconds: .max)).abbreviation == "CET")
    #expect(zone.offset(at: WallTime(microseconds: .min)).abbreviation == "CET")
  }

  static let badFooters = [
    "E5", "EST", "EST5EDT,", "EST5EDT,M3.2.0", "EST5EDT,M13.2.0,M11.1.0", "EST5EDT,M3.6.0,M11.1.0",
    "EST5EDT,M3.2.7,M11.1.0", "EST5EDT,J0,J5", "EST5EDT,J366,J5", "EST5EDT,366,5", "EST25",
    "EST5EDT,M3.2.0/168,M11.1.0",
    "<EST5", "EST5EDT,M3.2.0,M11.1.0x", "EST5:60", "EST99999999999999999999",
  ]

  @Test(arguments: badFooters) func `a rule that can't be read is an error`(rule: String) {
    let error = #expect(throws: TimeZoneError.self) { try footer(rule) }
    #expect(error?.fault == .footer(rule))
  }

  @Test func `broken files are errors`() throws {
    let two: [(seconds: Int32, isDaylightSaving: UInt8, name: UInt8)] = [(0, 0, 0), (3_600, 1, 0)]
    let files: [(TZifBytes, TimeZoneError.Fault)] = [
      (TZifBytes(types: []), .malformed("list of offsets")),
      (TZifBytes(types: [(.min, 0, 0)]), .malformed("list of offsets")),
      (TZifBytes(types: [(0, 0, 4)]), .malformed("list of abbreviations")),
      (TZifBytes(times: [5], indices: [1]), .malformed("list of transitions")),
      (TZifBytes(times: [5, 5], indices: [1, 0], types: two), .malformed("order of transitions")),
      (
        TZifBytes(times: (0..<2_001).map { $0 }, indices: Array(repeating: 0, count: 2_001)),
        .malformed("count of transitions")
      ),
      (TZifBytes(leapSeconds: 1), .leapSeconds), (TZifBytes(footer: nil), .truncated),
    ]
    for (file, fault) in files {
      #expect(#expect(throws: TimeZoneError.self) { try rules(file) }?.fault == fault)
    }
    #expect(throws: TimeZoneError.self) { try TimeZoneRules(name: "Test/Zone", tzif: []) }
  }

  @Test func `no prefix and no changed byte of a file makes the reader trap`() throws {
    let file = TZifBytes(
      times: [.min, -5, 1_000_000, .max], indices: [1, 0, 1, 0], types: [(3_600, 0, 0), (7_200, 1, 4)],
      names: "CET\0CEST\0", footer: "CET-1CEST,M3.5.0,M10.5.0/3"
    ).bytes
    for length in 0..<file.count {
      #expect(throws: TimeZoneError.self) {
        try TimeZoneRules(name: "Test/Zone", tzif: Array(file.prefix(length)))
      }
    }
    var random = SplitMix(state: 1)
    for index in file.indices {
      for byte in [0, 0xFF, UInt8.random(in: 0...255, using: &random)] {
        var changed = file
        changed[index] = byte
        guard let zone = try? TimeZoneRules(name: "Test/Zone", tzif: changed) else { continue }
        for microseconds in [Int64.min, -1, 0, 1_000_000_000_000, .max] {
          let instant = WallTime(microseconds: microseconds)
          _ = zone.instants(of: zone.civilTime(at: instant))
          _ = zone.nextTransition(after: instant)
        }
      }
    }
  }

  static let names: [(String, Bool)] = [
    ("Europe/Berlin", true), ("America/Argentina/Buenos_Aires", true), ("Etc/GMT+5", true), ("", false),
    ("/etc/passwd", false), ("../x", false), ("a//b", false), ("a/", false), ("a b", false), ("ü", false),
  ]

  @Test(arguments: names) func `a name can't leave the database`(name: String, isName: Bool) {
    #expect(TimeZoneRules.isName(name) == isName)
  }

  @Test func `civil times are unique, repeated or missing`() throws {
    let zone = try footer("EST5EDT,M3.2.0,M11.1.0")
    func resolve(_ month: Int, _ day: Int, _ hour: Int, _ minute: Int) throws -> CivilResolution {
      let date = try #require(CivilDate(year: 2024, month: month, day: day))
      return zone.instants(of: try #require(CivilTime(date: date, hour: hour, minute: minute, second: 0)))
    }
    #expect(try resolve(3, 10, 1, 59) == .unique(time("2024-03-10T06:59:00Z")))
    #expect(try resolve(3, 10, 2, 0) == .gap(end: time("2024-03-10T07:00:00Z")))
    #expect(try resolve(3, 10, 2, 59) == .gap(end: time("2024-03-10T07:00:00Z")))
    #expect(try resolve(3, 10, 3, 0) == .unique(time("2024-03-10T07:00:00Z")))
    let both = (first: try time("2024-11-03T05:30:00Z"), second: try time("2024-11-03T06:30:00Z"))
    #expect(try resolve(11, 3, 1, 30) == .repeated(first: both.first, second: both.second))
    #expect(try resolve(11, 3, 2, 0) == .unique(time("2024-11-03T07:00:00Z")))
  }

  @Test func `a zone is equal to itself read again, and not to a changed one`() throws {
    #expect(try footer("CET-1") == footer("CET-1"))
    #expect(try footer("CET-1") != footer("CET-2"))
    #expect(try footer("CET-1CEST,M3.5.0,M10.5.0/3") != footer("CET-1CEST,M3.5.0,M10.4.0/3"))
  }

  /// What the system's own database says, known from its news.
  static let known: [(String, String, String)] = [
    ("Europe/Berlin", "2024-07-01T00:00:00Z", "CEST"), ("America/New_York", "1883-11-18T12:00:00Z", "LMT"),
    ("Asia/Kathmandu", "2024-01-01T00:00:00Z", "+0545"), ("Pacific/Apia", "2011-12-30T09:59:59Z", "-10"),
    ("Pacific/Apia", "2011-12-30T10:00:00Z", "+14"), ("Africa/Casablanca", "2024-03-20T00:00:00Z", "+00"),
  ]

  @Test(arguments: known) func `the system's zones are read`(name: String, at: String, abbreviation: String)
    throws
  {
    #expect(try zone(name).offset(at: time(at)).abbreviation == abbreviation)
  }
}
