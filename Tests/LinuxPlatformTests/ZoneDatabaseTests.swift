import Glibc
import Scheduling
import Testing

@testable import LinuxPlatform

struct ZoneDatabaseTests {
  private nonisolated static let isInstalled = access("/usr/share/zoneinfo/Europe/Berlin", R_OK) == 0

  @Test(.enabled(if: isInstalled))
  func `a zone of the system is read, and read once`() throws {
    let zones = ZoneDatabase()
    let rules = try zones.rules("Europe/Berlin")
    #expect(rules.name == "Europe/Berlin")
    #expect(try zones.rules("Europe/Berlin") == rules)
  }

  @Test(arguments: ["../../etc/passwd", "/etc/passwd", "Europe", "Europe/", "No/Such", "", "a\0b", "."])
  func `what is no zone's name is refused, and no other file is read`(name: String) {
    #expect(throws: PlatformError.unknownZone(name)) { try ZoneDatabase().rules(name) }
  }

  @Test(.enabled(if: isInstalled)) func `the names are those that can be used`() throws {
    let zones = ZoneDatabase()
    #expect(zones.names.contains("Europe/Berlin") && zones.names.contains("America/Argentina/Ushuaia"))
    for name in zones.names { #expect(throws: Never.self) { try zones.rules(name) } }
    #expect(ZoneDatabase(folder: "/no/such/folder").names.isEmpty)
  }

  @Test func `a folder that links to itself ends`() throws {
    let folder = try TemporaryFolder()
    mkdir("\(folder.path)/Here", 0o755)
    symlink("..", "\(folder.path)/Here/Up")
    #expect(ZoneDatabase(folder: folder.path).names == ["Here/Up"])
  }

  @Test func `UTC needs no file`() throws {
    let zones = ZoneDatabase(folder: "/no/such/folder", localLink: "/no/such/link")
    #expect(try zones.rules("UTC") == .utc)
    #expect(try zones.local() == .utc)
  }

  @Test func `a broken file is named, and a reload reads it anew`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("Broken", "TZif?")
    let zones = ZoneDatabase(folder: folder.path)
    #expect { try zones.rules("Broken") } throws: { error in
      if case PlatformError.brokenZone("Broken", _) = error { true } else { false }
    }
    guard Self.isInstalled else { return }
    unlink(path)
    symlink("/usr/share/zoneinfo/Europe/Berlin", path)
    #expect(try zones.rules("Broken").name == "Broken")
    unlink(path)
    #expect(try zones.rules("Broken").name == "Broken")
    #expect(throws: PlatformError.unknownZone("Broken")) {
      try ZoneDatabase(folder: folder.path).rules("Broken")
    }
  }

  @Test(.enabled(if: isInstalled))
  func `the local zone has the name it is linked to`() throws {
    let folder = try TemporaryFolder()
    let link = "\(folder.path)/localtime"
    symlink("../usr/share/zoneinfo/Europe/Berlin", link)
    #expect(ZoneDatabase(localLink: link).localName() == "Europe/Berlin")
    #expect(try ZoneDatabase(localLink: link).local().name == "Europe/Berlin")
    unlink(link)
    let bytes = try SourceFiles.bytes(of: "/usr/share/zoneinfo/Europe/Berlin", limit: 1 << 20)
    let fd = open(link, O_WRONLY | O_CREAT, 0o644)
    #expect(write(fd, bytes, bytes.count) == bytes.count)
    close(fd)
    #expect(ZoneDatabase(localLink: link).localName() == nil)
    #expect(try ZoneDatabase(localLink: link).local().name == "localtime")
  }
}
