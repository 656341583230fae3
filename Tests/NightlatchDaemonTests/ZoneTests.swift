import ControlProtocol
import Glibc
import JobEngine
import Scheduling
import Testing

@testable import LinuxPlatform
@testable import NightlatchDaemon

/// Time zone files that change, vanish or break under a running daemon.
@Suite(.timeLimit(.minutes(1))) struct ZoneTests {
  let stage: Stage
  let zones: ZoneDatabase
  private nonisolated static let isInstalled = access("/usr/share/zoneinfo/Europe/Berlin", R_OK) == 0

  init() throws {
    stage = try Stage()
    for folder in ["zoneinfo", "zoneinfo/Here", "zoneinfo/There", "etc"] {
      mkdir("\(stage.path)/\(folder)", 0o700)
    }
    zones = ZoneDatabase(folder: "\(stage.path)/zoneinfo", localLink: "\(stage.path)/etc/localtime")
  }

  /// Puts the rules of a zone of the system where a database has them, as dpkg does: by a rename.
  private func install(_ name: String, from system: String) throws {
    let bytes = try SourceFiles.bytes(of: "/usr/share/zoneinfo/\(system)", limit: 1 << 20)
    try put(bytes, at: "zoneinfo/\(name)")
  }

  private func put(_ bytes: [UInt8], at name: String) throws {
    let new = "\(stage.path)/\(name).dpkg-new"
    let fd = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    #expect(fd >= 0 && write(fd, bytes, bytes.count) == bytes.count)
    close(fd)
    rename(new, "\(stage.path)/\(name)")
  }

  private func job(_ schedule: String) throws {
    try stage.job(.sync, "command = ['/bin/true']\n[schedule]\n\(schedule)\n")
  }

  func zone(_ daemon: Daemon) -> TimeZoneRules? { daemon.engine.view(of: .sync)?.definition.schedule.zone }

  func rules(_ system: String, _ name: String) throws -> TimeZoneRules {
    try TimeZoneRules(
      name: name, tzif: try SourceFiles.bytes(of: "/usr/share/zoneinfo/\(system)", limit: 1 << 20))
  }

  func start() throws -> Daemon {
    let daemon = try stage.daemon(zones: zones)
    daemon.watchZones()
    daemon.turn()
    return daemon
  }

  @Test(.enabled(if: isInstalled))
  func `an update of the time zone database takes effect by itself`() async throws {
    try install("Here/City", from: "Europe/Berlin")
    try job("calendar = '12:00'\ntimezone = 'Here/City'")
    let daemon = try start()
    let before = daemon.engine.view(of: .sync)?.nextDue
    try install("Here/City", from: "Asia/Kathmandu")
    try await until { try zone(daemon) == rules("Asia/Kathmandu", "Here/City") }
    #expect(daemon.engine.view(of: .sync)?.nextDue != before)
    #expect(stage.log.contains("The rules of Here/City have changed: calendar dues are recomputed"))
  }

  @Test(.enabled(if: isInstalled), arguments: ["calendar = '12:00 Here/City'", "calendar = '12:00'"])
  func `so it does for an expression's own zone and for the machine's`(schedule: String) async throws {
    try install("Here/City", from: "Europe/Berlin")
    stage.link("etc/localtime", to: "../zoneinfo/Here/City")
    try job(schedule)
    let daemon = try start()
    let before = daemon.engine.view(of: .sync)?.nextDue
    try install("Here/City", from: "Asia/Kathmandu")
    try await until { daemon.engine.view(of: .sync)?.nextDue != before }
  }

  @Test(.enabled(if: isInstalled))
  func `an update of the file that a name links to counts as well`() async throws {
    try install("There/Town", from: "Europe/Berlin")
    stage.link("zoneinfo/Here/City", to: "../There/Town")
    try job("calendar = '12:00'\ntimezone = 'Here/City'")
    let daemon = try start()
    try install("There/Town", from: "Asia/Kathmandu")
    try await until { try zone(daemon) == rules("Asia/Kathmandu", "Here/City") }
  }

  @Test(.enabled(if: isInstalled), arguments: [false, true])
  func `a zone that vanishes or breaks keeps its last good rules, also over reloads, until it is back`(
    breaks: Bool
  ) async throws {
    try install("Here/City", from: "Europe/Berlin")
    try job("calendar = '12:00'\ntimezone = 'Here/City'")
    let daemon = try start()
    if breaks {
      try put(Array("garbage".utf8), at: "zoneinfo/Here/City")
    } else {
      stage.remove("zoneinfo/Here")
    }
    try await until { stage.log.contains("its last good rules stay in use") }
    #expect(stage.log.contains(breaks ? "it isn't a TZif file" : "it is not in"))
    // Another definition of the job is taken while the zone is away.
    try job("calendar = '13:00'\ntimezone = 'Here/City'")
    guard case .reloaded(_, _, let diagnostics) = daemon.reloadReply() else { throw Unexpected() }
    #expect(diagnostics.isEmpty)
    #expect(try zone(daemon) == rules("Europe/Berlin", "Here/City"))
    #expect(daemon.engine.view(of: .sync)?.definition.schedule.canonical == ["*-*-* 13:00:00"])
    mkdir("\(stage.path)/zoneinfo/Here", 0o700)
    try install("Here/City", from: "Asia/Kathmandu")
    try await until { try zone(daemon) == rules("Asia/Kathmandu", "Here/City") }
    #expect(daemon.configuration.problems.isEmpty)
  }

  @Test(.enabled(if: isInstalled))
  func `the machine's zone may be a link, a copy, missing or broken`() async throws {
    try install("Here/City", from: "Europe/Berlin")
    stage.link("etc/localtime", to: "\(stage.path)/zoneinfo/Here/City")
    try job("calendar = '12:00'")
    let daemon = try start()
    #expect(zone(daemon)?.name == "Here/City")
    // timedatectl(1) puts a new link in the place of the old one.
    try install("There/Town", from: "Asia/Kathmandu")
    stage.link("etc/new", to: "../zoneinfo/There/Town")
    try stage.move("etc/new", to: "etc/localtime")
    try await until { zone(daemon)?.name == "There/Town" }
    #expect(stage.log.contains("The machine's time zone is There/Town now"))
    // The target goes away, as when tzdata is removed: dangling.
    stage.remove("zoneinfo/There")
    try await until { stage.log.contains("schedules without a timezone are read in There/Town") }
    #expect(zone(daemon)?.name == "There/Town")
    // A copy has no name.
    try put(
      try SourceFiles.bytes(of: "/usr/share/zoneinfo/Europe/Paris", limit: 1 << 20), at: "etc/localtime")
    try await until { try zone(daemon) == rules("Europe/Paris", "localtime") }
    try put(Array("garbage".utf8), at: "etc/localtime")
    try await until {
      stage.log.contains("it isn't a TZif file; schedules without a timezone are read in localtime")
    }
    #expect(try zone(daemon) == rules("Europe/Paris", "localtime"))
    // Missing is UTC (localtime(5)).
    stage.remove("etc/localtime")
    try await until { zone(daemon) == .utc }
  }

  @Test(arguments: [nil, "garbage"])
  func `a daemon that finds no good zone of the machine starts in UTC and says so`(text: String?) throws {
    if let text {
      try stage.write("etc/localtime", text)
    } else {
      stage.link("etc/localtime", to: "zoneinfo/Nowhere")
    }
    try job("calendar = '12:00'")
    let daemon = try start()
    #expect(zone(daemon) == .utc)
    #expect(daemon.configuration.problems.map(\.priority) == [.error])
    let message = daemon.configuration.problems.first.map { String(decoding: $0.message, as: UTF8.self) }
    #expect(message?.hasSuffix("; schedules without a timezone are read in UTC") == true)
  }

  @Test func `a zone that was never good is a mistake in its file, and a broken one is named`() throws {
    try stage.write("zoneinfo/Here/City", "garbage")
    try job("calendar = '12:00'\ntimezone = 'Here/City'")
    let daemon = try start()
    #expect(daemon.engine.view(of: .sync) == nil)
    let messages = daemon.configuration.problems.map { String(decoding: $0.message, as: UTF8.self) }
    #expect(messages.count == 2)
    #expect(
      messages.first?.contains("'Here/City': it isn't a TZif file; schedules in it can't be loaded") == true)
  }

  struct Unexpected: Error {}
}
