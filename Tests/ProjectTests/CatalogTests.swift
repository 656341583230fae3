import Testing

/// The journal's message catalog explains exactly what the daemon logs.
struct CatalogTests {
  @Test(.enabled(if: try !logged().isEmpty, "nothing logs a message identifier yet"))
  func `every message identifier is explained, and every explanation used`() throws {
    let explained = try SourceTree.text(of: "systemd/nightlatch.catalog")
      .matches(of: /(?m)^-- ([0-9a-f]{32})$/).map { String($0.1) }
    #expect(Set(explained).count == explained.count)
    #expect(try Self.logged() == Set(explained))
  }

  @Test func `every explanation has a subject and says where to read on`() throws {
    let entries = try SourceTree.text(of: "systemd/nightlatch.catalog").split(separator: "\n-- ").dropFirst()
    #expect(!entries.isEmpty)
    for entry in entries {
      #expect(entry.contains("\nSubject: "))
      #expect(entry.contains("\nDocumentation: man:"))
      #expect(!entry.contains { $0 == "\t" })
    }
  }

  private static func logged() throws -> Set<String> {
    let quoted = try SourceTree.sourceFiles().flatMap(\.lines).flatMap { $0.split(separator: "\"") }
    return Set(quoted.filter { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) }.map(String.init))
  }
}
