import AuthModel
import Glibc
import Scheduling
import Testing

@testable import SessionAgent

/// Token files that another program keeps.
@Suite struct RotatedFileTests {
  private func world(lifetime: Duration? = nil) throws -> SupplyWorld {
    let world = try SupplyWorld()
    world.provider.kind = .tokenFile(path: world.folder.path + "/token", lifetime: lifetime)
    return world
  }

  /// Unsigned: nobody here looks at a signature.
  private func jwt(expiresIn left: Duration) throws -> String {
    let end = try SystemClock().now.wall + left
    let claims = Secret(#"{"sub":"system:serviceaccount:x","exp":\#(end.microseconds / 1_000_000)}"#)
    return "eyJhbGciOiJFUzI1NiJ9.\(claims.base64URL.text).c2ln"
  }

  @Test func `a token that says when it ends is good until then`() throws {
    let world = try world()
    try world.folder.write("token", try jwt(expiresIn: .seconds(600)) + "\n", mode: 0o644)
    #expect(try world.agent().publish().status == .success)
    #expect(try world.state()?.name == "authenticated")
    #expect(
      try world.token()
        == String(decoding: #require(try world.folder.read("token")).dropLast(), as: UTF8.self))
    guard case .present(let present) = world.snapshot?.session else {
      Issue.record("no session")
      return
    }
    let lifetime = try #require(present.lifetime)
    #expect(.seconds(590)...Duration.seconds(601) ~= lifetime)
  }

  @Test func `a rotation is noticed at the next look`() throws {
    let world = try world()
    try world.folder.write("token", try jwt(expiresIn: .seconds(600)), mode: 0o644)
    #expect(try world.agent().publish().status == .success)
    let next = try jwt(expiresIn: .seconds(1200))
    try world.folder.write("token", next, mode: 0o644)
    #expect(try world.agent().refresh().status == .success)
    #expect(try world.token() == next)
  }

  @Test func `one that was not rotated in time is transient, and the session is kept`() throws {
    let world = try world()
    try world.folder.write("token", try jwt(expiresIn: .seconds(600)), mode: 0o644)
    #expect(try world.agent().publish().status == .success)
    try world.folder.write("token", try jwt(expiresIn: .seconds(-60)), mode: 0o644)
    let report = try world.agent().refresh()
    #expect(report.status == .tryLater)
    #expect(report.message.contains("nobody has rotated it"))
    #expect(world.snapshot?.lastAttempt?.outcome == .transient)
    #expect(try world.state()?.user?.id == "work")
  }

  @Test func `an opaque token lives as long as the file says, from its modification`() throws {
    let world = try world(lifetime: .seconds(100))
    try world.folder.write("token", "opaque", mode: 0o600)
    #expect(try world.agent().publish().status == .success)
    guard case .present(let present) = world.snapshot?.session else {
      Issue.record("no session")
      return
    }
    let lifetime = try #require(present.lifetime)
    #expect(.seconds(80)...Duration.seconds(100) ~= lifetime)
    var times = [timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000_000, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, world.folder.path + "/token", &times, 0) == 0)
    #expect(try world.agent().refresh().status == .tryLater)
  }

  @Test func `a file that is not there yet is waited for, and nobody has to log in`() throws {
    let world = try world()
    #expect(try world.agent().publish().status == .tryLater)
    #expect(try world.state() == .authenticatedUnverified(User(id: "work")))
    #expect(world.snapshot?.lastAttempt?.outcome == .transient)
    try world.folder.write("token", "opaque", mode: 0o600)
    #expect(try world.agent().publish().status == .success)
    #expect(try world.state()?.name == "authenticated")
  }

  @Test(arguments: ["", "two words", "a\nb", "\u{7f}", "ü"]) func `what is no token is not taken for one`(
    _ text: String
  ) throws {
    let world = try world()
    try world.folder.write("token", text, mode: 0o600)
    #expect(try world.agent().publish().status == .tryLater)
    #expect(try world.token() == nil)
  }

  @Test func `logged out is logged out, whatever the file holds`() throws {
    let world = try world()
    try world.folder.write("token", "opaque", mode: 0o600)
    #expect(try world.agent().publish().status == .success)
    #expect(try world.agent().logout().status == .success)
    #expect(try world.agent().refresh().status == .loginNeeded)
    #expect(try world.agent().publish().status == .success)
    #expect(try world.state() == .unauthenticated(.loggedOut))
    #expect(try world.agent().login { _ in }.status == .success)
    #expect(try world.state()?.name == "authenticated")
  }
}
