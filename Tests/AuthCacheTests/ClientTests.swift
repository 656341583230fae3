import AuthCache
import AuthModel
import Glibc
import Nightlatch
import Scheduling
import Testing

@Suite struct ClientTests {
  let folder = TemporaryFolder()
  let bootID: BootID

  init() throws {
    bootID = try #require(BootID.current())
    mkdir("\(folder.path)/auth", 0o700)
  }

  var file: AuthCacheFile {
    get throws { try AuthCacheFile(of: ProviderName("work"), inRuntimeFolder: folder.path) }
  }

  func client(_ provider: String = "work") throws -> NightlatchClient {
    try NightlatchClient(provider: provider, runtimeFolder: RuntimeFolder(path: folder.path))
  }

  /// A verified session whose token was obtained just now.
  func session(lifetime: Duration = .seconds(3600)) -> Snapshot {
    let moment = Moment(bootID: bootID, now: .current())
    return Snapshot(
      generation: 0, published: moment,
      session: .present(
        Snapshot.Present(
          user: User(id: "alice"), tokenGeneration: 1, obtained: moment, lifetime: lifetime,
          verifiedIn: bootID)))
  }

  @Test func `a client follows the session from before it exists to its end`() throws {
    let client = try client()
    #expect(client.authStateWithoutRefresh() == .notReady(.noSnapshot))

    let writer = try AuthCacheWriter(try file)
    var current = session()
    try writer.publish(current)
    #expect(client.authStateWithoutRefresh() == .authenticated(User(id: "alice")))
    #expect(client.authStateWithoutRefresh().user?.id == "alice")

    current.spend = .open
    try writer.publish(current)
    #expect(client.authStateWithoutRefresh() == .authenticatedUnverified(User(id: "alice")))

    current.session = .absent(.rejected)
    try writer.publish(current)
    #expect(client.authStateWithoutRefresh() == .unauthenticated(.rejected))
  }

  @Test func `an expired token makes an unverified session without anybody publishing`() throws {
    try AuthCacheWriter(try file).publish(session(lifetime: .microseconds(1)))
    let client = try client()
    // The boot clock has passed the microsecond when this returns.
    let obtained = Instant.current()
    while Instant.current() <= obtained + .microseconds(1) {}
    #expect(client.authStateWithoutRefresh() == .authenticatedUnverified(User(id: "alice")))
  }

  @Test func `a client finds a file that took the place of a removed one`() throws {
    let writer = try AuthCacheWriter(try file)
    var current = session()
    current.session = .absent(.loggedOut)
    try writer.publish(current)
    let client = try client()
    #expect(client.authStateWithoutRefresh() == .unauthenticated(.loggedOut))
    unlink(try file.path)
    #expect(client.authStateWithoutRefresh() == .notReady(.noSnapshot))
    try AuthCacheWriter(try file).publish(session())
    #expect(client.authStateWithoutRefresh() == .authenticated(User(id: "alice")))
  }

  @Test(arguments: ["", ".", "..", ".hidden", "../work", "a/b", "a\u{0}b"])
  func `a name that can't name a file is refused`(_ name: String) {
    #expect(throws: NightlatchError.invalidProviderName(name)) { try client(name) }
    #expect(throws: AuthCacheError.invalidName(ProviderName(name))) {
      try AuthCacheFile(of: ProviderName(name), inRuntimeFolder: "/run/nightlatch")
    }
  }

  @Test func `the file's place and permissions follow the mode`() throws {
    let own = try AuthCacheFile(of: ProviderName("work"), inRuntimeFolder: "/run/user/1000/nightlatch")
    #expect(own == AuthCacheFile(path: "/run/user/1000/nightlatch/auth/work", mode: 0o600, group: nil))
    let shared = try AuthCacheFile(of: ProviderName("work"), inRuntimeFolder: "/run/nightlatch", group: 990)
    #expect(shared == AuthCacheFile(path: "/run/nightlatch/auth/work", mode: 0o640, group: 990))
  }

  @Test func `the boot id is 32 hexadecimal digits and stays the same`() {
    #expect(bootID.description.count == 32)
    let digits = bootID.description.filter { $0.isHexDigit }
    #expect(digits == bootID.description)
    #expect(BootID.current() == bootID)
  }
}

/// What users read when something is wrong: what was attempted, on what, why, and what happens next.
@Suite struct MessageTests {
  @Test(arguments: [
    (
      AuthCacheError.unreadable(path: "/run/nightlatch/auth/work", code: EACCES),
      "can't open the auth cache /run/nightlatch/auth/work: Permission denied; nothing was published, readers keep what they have"
    ),
    (
      AuthCacheError.unwritable(path: "/run/nightlatch/auth/work", step: "fill", code: ENOSPC),
      "can't write the auth cache /run/nightlatch/auth/work (fill): No space left on device; nothing was published, readers keep what they have"
    ),
    (
      AuthCacheError.unannounced(path: "/run/nightlatch/auth/work", code: EPERM),
      "published to the auth cache /run/nightlatch/auth/work but can't touch it: Operation not permitted; whoever watches the file hears of the snapshot only at the next one, whoever reads it has it"
    ),
    (
      AuthCacheError.invalidName(ProviderName("a/b")),
      "can't name an auth cache file after the provider \"a/b\": a name is not empty, holds no slash and doesn't begin with a dot; rename its file in providers.d"
    ),
  ]) func `errors say what happens next`(_ error: AuthCacheError, _ message: String) {
    #expect("\(error)" == message)
  }
}
