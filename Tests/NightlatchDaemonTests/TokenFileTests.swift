import AuthModel
import Glibc
import JobEngine
import Scheduling
import Testing

@testable import LinuxPlatform
@testable import NightlatchDaemon

/// A token file that another program rotates under a running daemon. Nothing in it is a token: what counts is that a
/// phase is started, and a token that was obtained would be left alone for a while.
@Suite(.timeLimit(.minutes(1))) struct TokenFileTests {
  let stage: Stage

  init() throws {
    stage = try Stage()
    mkdir("\(stage.path)/token", 0o700)
    try stage.write(
      "config/providers.d/work.toml", "kind = 'static'\ntoken_file = '\(stage.path)/token/access'\n")
    try stage.write("config/nightlatch.toml", "[foreground]\nwhen = 'manual'\n")
    let bootID = try SystemClock.bootID()
    let moment = Moment(bootID: bootID, now: SystemClock.now())
    try stage.publish(
      Snapshot(
        generation: 1, published: moment,
        session: .present(
          Snapshot.Present(
            user: User(id: "work"), tokenGeneration: 1, obtained: moment, lifetime: nil)))
    )
  }

  /// How often the file was to be read again.
  private var phases: Int {
    stage.log.split(separator: "\n").count { $0.contains("foreground phase: refresh started") }
  }

  /// A daemon that has begun to watch the file: it may have been rotated just before, and is read once.
  private func start() async throws -> Daemon {
    let daemon = try stage.daemon()
    try await expectPhase(of: daemon) {
      daemon.watchTokenFiles()
      daemon.turn()
    }
    return daemon
  }

  /// Waits until the file has been asked for because of what `rotate` does, and no answer is awaited.
  private func expectPhase(of daemon: Daemon, _ rotate: () throws -> Void) async throws {
    let before = phases
    try rotate()
    try await until {
      if case .running = daemon.engine.view(of: .work)?.phase { return false }
      return phases > before
    }
  }

  @Test func `a file that a rename puts in its place is read at once`() async throws {
    try stage.write("token/access", "no token")
    let daemon = try await start()
    try await expectPhase(of: daemon) {
      try stage.write("token/new", "no token")
      try stage.move("token/new", to: "token/access")
    }
  }

  @Test func `so is what a swapped link leads to, again and again`() async throws {
    for name in ["..1", "..2", "..3"] {
      mkdir("\(stage.path)/token/\(name)", 0o700)
      try stage.write("token/\(name)/access", "no token")
    }
    stage.link("token/..data", to: "..1")
    stage.link("token/access", to: "..data/access")
    let daemon = try await start()
    for name in ["..2", "..3"] {
      try await expectPhase(of: daemon) {
        stage.link("token/..new", to: name)
        try stage.move("token/..new", to: "token/..data")
      }
    }
    // What is behind it now is watched as well.
    try await expectPhase(of: daemon) {
      try stage.write("token/new", "no token")
      try stage.move("token/new", to: "token/..3/access")
    }
  }

  @Test func `a file that can't be watched is told once, and again when it could be in between`() throws {
    let name = String(repeating: "x", count: 300)
    let file = "kind = 'static'\ntoken_file = '\(stage.path)/\(name)/access'\n"
    try stage.write("config/providers.d/work.toml", file)
    let daemon = try stage.daemon()
    let told = { [stage] in stage.log.split(separator: "\n").filter { $0.contains("noticed at the next") } }
    for _ in 0..<2 { daemon.watchTokenFiles() }
    #expect(told().count == 1)
    #expect(
      told().first?.contains(
        "work: cannot watch the folder '\(stage.path)/\(name)': File name too long; "
          + "a rotation of its token file is noticed at the next foreground phase") == true)
    try stage.write(
      "config/providers.d/work.toml", "kind = 'static'\ntoken_file = '\(stage.path)/token/access'\n")
    _ = daemon.reload()
    #expect(told().count == 1)
    try stage.write("config/providers.d/work.toml", file)
    _ = daemon.reload()
    #expect(told().count == 2)
  }

  @Test func `a folder that comes later, and a file that a reload names, are watched`() async throws {
    stage.remove("token")
    let daemon = try await start()
    try await expectPhase(of: daemon) {
      mkdir("\(stage.path)/token", 0o700)
      try stage.write("token/access", "no token")
    }
    try stage.write("config/providers.d/work.toml", "kind = 'static'\ntoken_file = '\(stage.path)/other'\n")
    try await expectPhase(of: daemon) { _ = daemon.reload() }
    try await expectPhase(of: daemon) { try stage.write("other", "no token") }
    stage.remove("config/providers.d/work.toml")
    _ = daemon.reload()
    #expect(daemon.tokenWatches.isEmpty)
  }
}
