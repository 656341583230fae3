import Testing

/// The journal's message catalog explains exactly what the daemon logs.
struct CatalogTests {
  private static let identifier = /"([0-9a-f]{32})"/

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
    let lines = try SourceTree.swiftFiles(below: "Sources").flatMap(\.lines)
    return Set(lines.flatMap { $0.matches(of: identifier).map { String($0.1) } })
  }
}
