import Testing

struct CommentStripperTests {
  @Test(arguments: [
    ("let a = b // c!", "let a = b "),
    ("a /* b! */ c", "a  c"),
    ("a /* b /* c */ d */ e", "a  e"),
    (#"print("a // b!")"#, #"print("")"#),
    (#"print("a \"b!\" c") + d"#, #"print("") + d"#),
    (#"print("a \(b("c!")) d") + e"#, #"print("") + e"#),
    (##"let a = #"b\"#; c"##, ##"let a = #""; c"##),
    ("\"\"\" + a", "\"\""),
    ("", ""),
  ])
  func `only code is left of a line`(line: String, code: String) {
    var stripper = CommentStripper()
    #expect(stripper.strip(line) == code)
  }

  @Test func `a multi-line string is blanked to its end`() {
    let file = SourceFile(path: "x", text: "let a = \"\"\"\n  b!\n  \"\"\" + c!\n")
    #expect(file.code == ["let a = \"\"", "", " + c!"])
  }

  @Test func `a multi-line comment is blanked to its end`() {
    let file = SourceFile(path: "x", text: "a /*\nb!\n*/ c\n")
    #expect(file.code == ["a ", "", " c"])
  }
}
