import Testing

struct TestDeclarationTests {
  @Test func `no test is left without its attribute`() throws {
    for file in try SourceTree.testFiles() {
      let forgotten = TestDeclarations(in: file).forgotten
      #expect(
        forgotten.isEmpty, "\(file): a test without @Test, or a function of a suite that is not private")
    }
  }

  @Test func `no test sleeps`() throws {
    for file in try SourceTree.testFiles() {
      let sleeps = file.places(of: ["sleep(", "usleep(", "nanosleep(", "clock_nanosleep(", "poll(nil,"])
      // What a test waits with, until a condition is met.
      #expect(sleeps.isEmpty || file.path.hasSuffix("/WaitUntil.swift"), "\(sleeps)")
    }
  }

  @Test func `there are no tests for another framework`() throws {
    for file in try SourceTree.testFiles() {
      #expect(!file.imports.contains { $0.module == "XCTest" }, "\(file)")
    }
  }

  @Test(arguments: [
    ("struct A {\n  @Test func `b c`() {}\n  func `d e`() {}\n}", [3]),
    ("struct A {\n  func testB() {}\n}", [2]),
    ("func testB() {}", [1]),
    ("struct A {\n  @Test func b() {}\n  func c() {}\n}", [3]),
    ("struct A {\n  @Test(arguments: [\n    (1, 2),\n  ])\n  func b(c: Int) {}\n}", []),
    ("struct A {\n  @Test\n  func b() {}\n  private func c() {}\n}", []),
    ("struct World {\n  func advance() {}\n}", []),
    ("struct A {\n  func run(_ world: inout World) {}\n  @Test func b() {}\n}", []),
    ("struct A {\n  @Test func b() { c { d() } }\n  struct World {\n    func e() {}\n  }\n}", []),
    ("@Suite struct A {\n  func b() {}\n}", [2]),
    ("@Suite struct A {\n  func b(\n    c: Int\n  ) -> Int {\n    c\n  }\n  @Test func d() {}\n}", []),
  ])
  func `forgotten tests are found, helpers left alone`(text: String, lines: [Int]) {
    #expect(TestDeclarations(in: SourceFile(path: "x", text: text)).forgotten == lines)
  }
}
