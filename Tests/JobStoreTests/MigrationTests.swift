import JobEngine
import Scheduling
import Testing

@testable import JobStore

struct MigrationTests {
  let folder = TemporaryFolder()

  /// A future that has not happened: a column, then a table made from it.
  private nonisolated static let future =
    Migration.all + [
      Migration(version: Migration.all.count + 1, statements: ["ALTER TABLE jobs ADD COLUMN note TEXT"]),
      Migration(
        version: Migration.all.count + 2,
        statements: [
          "CREATE TABLE notes (job TEXT PRIMARY KEY, note TEXT)",
          "INSERT INTO notes SELECT job, coalesce(note, 'none') FROM jobs",
        ]),
    ]

  @Test func `versions are numbered from one without a gap`() {
    #expect(Migration.all.map(\.version) == Array(1...Migration.all.count))
  }

  @Test(arguments: 0...future.count)
  func `from any version to the newest, with everything in it`(version: Int) throws {
    if version > 0 {
      let old = try Ledger(path: folder.ledger, migrations: Array(Self.future.prefix(version)))
      #expect(try old.integer("PRAGMA user_version") == version)
      try old.database.run(
        "INSERT INTO jobs (job, calendar_through) VALUES ('com.example.mail-sync', 7000000)")
    }
    let new = try Ledger(path: folder.ledger, migrations: Self.future)
    #expect(try new.integer("PRAGMA user_version") == Self.future.count)
    #expect(try new.integer("PRAGMA application_id") == Ledger.applicationID)
    #expect(try new.recover().progress[.sync]?.calendarThrough == (version > 0 ? WallTime(seconds: 7) : nil))
    #expect(try new.checkIntegrity() == [])
  }

  @Test func `opening again migrates nothing`() throws {
    for _ in 1...2 { _ = try Ledger(path: folder.ledger, migrations: Self.future) }
  }

  @Test func `a newer schema is refused and left as it is`() throws {
    do { _ = try Ledger(path: folder.ledger, migrations: Self.future) }
    let error = #expect(throws: StoreError.self) { _ = try Ledger(path: folder.ledger) }
    #expect(
      error
        == .newerSchema(path: folder.ledger, found: Self.future.count, supported: Migration.all.count))
    _ = try Ledger(path: folder.ledger, migrations: Self.future)
  }

  @Test func `a step that fails leaves the version before it, usable`() throws {
    let broken = Migration(
      version: Migration.all.count + 1, statements: ["CREATE TABLE half (x)", "CREATE TABLE half (x)"])
    do { try Ledger(path: folder.ledger).stamp(.full) }
    let error = #expect(throws: StoreError.self) {
      _ = try Ledger(path: folder.ledger, migrations: Migration.all + [broken])
    }
    #expect(error?.description.contains("to schema version \(broken.version)") == true)
    let ledger = try Ledger(path: folder.ledger)
    #expect(try ledger.run(id: RunRecord.full.id) == .full)
    #expect(try ledger.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'half'") == 0)
  }
}
