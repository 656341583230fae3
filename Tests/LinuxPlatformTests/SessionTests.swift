import CLinux
import Glibc
import Testing

@testable import LinuxPlatform

private nonisolated let hasBus = access("/usr/bin/dbus-daemon", X_OK) == 0

private nonisolated func session(
  _ id: String = "2", uid: UInt32 = 1000, kind: String = "user", state: String = "active",
  seat: String? = "seat0", isRemote: Bool = false
) -> LoginSession {
  LoginSession(id: id, uid: uid, kind: kind, state: state, seat: seat, isRemote: isRemote)
}

@Suite(.timeLimit(.minutes(1)))
struct SessionTests {
  @Test(
    arguments: [
      ("at the desk", session(), true, true),
      ("somebody else's", session(uid: 1001), false, true),
      ("root at the console", session(uid: 0, kind: "user-early"), false, true),
      ("switched away", session(state: "online"), false, false),
      ("not begun", session(state: "opening"), false, false),
      ("logged out, with processes left", session(state: "closing"), false, false),
      ("over ssh", session(seat: nil, isRemote: true), false, false),
      ("remote, with a seat", session(isRemote: true), false, false),
      ("su in a service", session(seat: nil), false, false),
      ("the login screen", session(kind: "greeter"), false, false),
      ("a lock screen of its own", session(kind: "lock-screen"), false, false),
      ("cron", session(kind: "background", seat: nil), false, false),
      ("the user's manager", session(kind: "manager", seat: nil), false, false),
      ("home still encrypted", session(kind: "user-incomplete"), false, false),
    ] as [(String, LoginSession, Bool, Bool)])
  func `who sits at the machine`(case: String, session: LoginSession, own: Bool, anybody: Bool) {
    #expect(session.isAttended(by: 1000) == own)
    #expect(session.isAttended(by: nil) == anybody)
  }

  @Test(.enabled(if: hasBus))
  func `a session is active from the answer that it is not locked until it is locked`() async throws {
    let world = try await World(["c1": false])
    #expect(!world.watch.isActive)
    world.look([session("c1"), session("c2", uid: 1001)])
    #expect(!world.watch.isActive, "not before the answer")
    #expect(await world.changes.next())
    for isLocked in [true, false] {
      world.logind.setLocked("c1", isLocked)
      #expect(await world.changes.next() == !isLocked)
      #expect(world.watch.isActive == !isLocked)
    }
    world.look([session("c1", state: "online")])
    #expect(world.changes.all.last == false, "known without a question")
    #expect(world.logind.questions.all == ["c1", "c1", "c1"])
    world.watch.cancel()
    await world.logind.stop()
  }

  @Test(.enabled(if: hasBus))
  func `a locked session, or one logind doesn't know, is not active`() async throws {
    let world = try await World(["1": true, "2": false])
    // Answered in this order.
    world.look([session("1"), session("gone"), session("2")])
    #expect(await world.changes.next())
    world.look([session("1"), session("gone")])
    #expect(!world.watch.isActive, "it was session 2")
    world.watch.cancel()
    await world.logind.stop()
  }

  @Test(.enabled(if: hasBus))
  func `an answer that comes after a switch does not count`() async throws {
    let world = try await World(["2": false, "3": true])
    world.logind.isSilent = true
    world.look([session("2")])
    _ = await world.logind.questions.next()
    world.look([session("3")])
    _ = await world.logind.questions.next()
    world.logind.speak()
    world.logind.setLocked("3", false)
    #expect(await world.changes.next())
    #expect(world.changes.all == [true])
    world.watch.cancel()
    await world.logind.stop()
  }

  @Test(.enabled(if: hasBus))
  func `without the bus nobody is known to be there`() async throws {
    let world = try await World(["2": false])
    world.look([session("2")])
    #expect(await world.changes.next())
    await world.logind.stop()
    #expect(await !world.changes.next())
    world.look([session("2")])
    #expect(!world.watch.isActive)
    world.watch.cancel()
  }

  /// In a mount namespace of its own, with session files as logind writes them.
  @Test(.enabled(if: geteuid() == 0))
  func `logind's sessions are read and watched`() async {
    await #expect(processExitsWith: .success) { @MainActor in
      // Containers may have taken the right to do so from root. The namespace is one thread's: nothing
      // is awaited until all is written.
      guard nl_unshare_mounts() == 0, mount("tmpfs", "/run", "tmpfs", 0, nil) == 0 else { return }
      #expect(LoginSession.all().isEmpty)
      #expect(throws: PlatformError.self) { try SessionWatch(owner: nil) { _ in } }
      let folder = "/run/systemd/sessions"
      mkdir("/run/systemd", 0o755)
      mkdir(folder, 0o755)
      let changes = Events<Void>()
      let monitor = try LoginMonitor { changes.post(()) }
      write("UID=1000\nACTIVE=1\nSTATE=active\nREMOTE=0\nCLASS=user\nSEAT=seat0\nTYPE=tty\n", "\(folder)/2")
      write("UID=0\nACTIVE=1\nSTATE=active\nREMOTE=1\nCLASS=user\nTYPE=tty\n", "\(folder)/c3")
      write("nonsense\n", "\(folder)/4")
      let sessions = LoginSession.all().sorted { $0.id < $1.id }
      #expect(sessions == [session("2"), session("c3", uid: 0, seat: nil, isRemote: true)])
      await changes.next()
      withExtendedLifetime(monitor) {}
    }
  }

  /// A watch of uid 1000, and the logind it asks.
  private final class World {
    let logind: LogindOnBus
    let changes = Events<Bool>()
    let watch: SessionWatch
    private let sessions: Sessions

    final class Sessions { var all: [LoginSession] = [] }

    init(_ isLocked: [String: Bool]) async throws {
      let (logind, sessions, changes) = (try await LogindOnBus(), Sessions(), changes)
      logind.isLocked = isLocked
      (self.logind, self.sessions) = (logind, sessions)
      watch = SessionWatch(
        owner: 1000, bus: BusConnection(address: logind.address, matching: [Logind.sessionChanged]),
        looking: { sessions.all }, onChange: { changes.post($0) })
    }

    func look(_ all: [LoginSession]) {
      sessions.all = all
      watch.lookAgain()
    }
  }
}

/// Writes a file the way logind does: whole, then renamed into place.
private func write(_ text: String, _ path: String) {
  let bytes = Array(text.utf8)
  let fd = open("/run/new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
  #expect(Glibc.write(fd, bytes, bytes.count) == bytes.count)
  close(fd)
  #expect(rename("/run/new", path) == 0)
}
