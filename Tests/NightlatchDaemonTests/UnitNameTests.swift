import Testing

@testable import NightlatchDaemon

@Suite struct UnitNameTests {
  /// What `systemd-escape TEXT` prints.
  @Test(arguments: [
    ("work", "work"),
    ("Work_2:x.y", "Work_2:x.y"),
    ("my-work", #"my\x2dwork"#),
    (".hidden", #"\x2ehidden"#),
    ("a.b", "a.b"),
    ("a/b", "a-b"),
    ("a b@c", #"a\x20b\x40c"#),
    ("caf\u{e9}", #"caf\xc3\xa9"#),
    (#"back\slash"#, #"back\x5cslash"#),
    ("\u{1}", #"\x01"#),
    ("", ""),
  ])
  func `an instance name is escaped as systemd does`(text: String, escaped: String) {
    #expect(UnitName.escape(text) == escaped)
  }
}
