import AuthCache
import AuthModel
import Glibc
import Nightlatch
import Scheduling
import Testing

/// The sequence of states: told by the kernel, never polled.
@Suite(.timeLimit(.minutes(1))) struct StateChangesTests {
  let folder = TemporaryFolder()
  let bootID: BootID

  init() throws { bootID = try #require(BootID.current()) }

  private func client() throws -> NightlatchClient {
    try NightlatchClient(provider: "work", runtimeFolder: RuntimeFolder(path: "\(folder.path)/run"))
  }

  private func writer() throws -> AuthCacheWriter {
    mkdir("\(folder.path)/run", 0o700)
    mkdir("\(folder.path)/run/auth", 0o700)
    return try AuthCacheWriter(
      try AuthCacheFile(of: ProviderName("work"), inRuntimeFolder: "\(folder.path)/run"))
  }

  private func snapshot(_ session: Snapshot.Session) -> Snapshot {
    Snapshot(generation: 0, published: Moment(bootID: bootID, now: .current()), session: session)
  }

  private func session(lifetime: Duration) -> Snapshot {
    let moment = Moment(bootID: bootID, now: .current())
    return snapshot(
      .present(
        Snapshot.Present(
          user: User(id: "alice"), tokenGeneration: 1, obtained: moment, lifetime: lifetime,
          verifiedIn: bootID)))
  }

  @Test func `it begins with the state as it is and tells each other one, from before the folder exists`()
    async throws
  {
    var states = try client().authStates().makeAsyncIterator()
    #expect(await states.next() == .notReady(.noSnapshot))
    let writer = try writer()
    try writer.publish(snapshot(.absent(.neverLoggedIn)))
    #expect(await states.next() == .unauthenticated(.neverLoggedIn))
    try writer.publish(session(lifetime: .seconds(3600)))
    #expect(await states.next() == .authenticated(User(id: "alice")))
    // The same state again is no change.
    try writer.publish(session(lifetime: .seconds(3600)))
    try writer.publish(snapshot(.absent(.loggedOut)))
    #expect(await states.next() == .unauthenticated(.loggedOut))
  }

  @Test func `the end of a token is told although nobody publishes it`() async throws {
    try writer().publish(session(lifetime: .milliseconds(200)))
    var states = try client().authStates().makeAsyncIterator()
    var state = await states.next()
    if state == .authenticated(User(id: "alice")) { state = await states.next() }
    #expect(state == .authenticatedUnverified(User(id: "alice")))
  }

  @Test func `a cache that is removed, with its folder, and comes again is followed`() async throws {
    try writer().publish(snapshot(.absent(.loggedOut)))
    var states = try client().authStates().makeAsyncIterator()
    #expect(await states.next() == .unauthenticated(.loggedOut))
    unlink("\(folder.path)/run/auth/work")
    #expect(await states.next() == .notReady(.noSnapshot))
    rmdir("\(folder.path)/run/auth")
    rmdir("\(folder.path)/run")
    try writer().publish(snapshot(.absent(.rejected)))
    #expect(await states.next() == .unauthenticated(.rejected))
  }

  /// In a process of its own: what other tests open meanwhile would be counted too.
  @Test func `a cancelled task ends the sequence and leaves no descriptor behind`() async throws {
    try writer().publish(snapshot(.absent(.loggedOut)))
    await #expect(processExitsWith: .success) { [path = "\(folder.path)/run"] in
      // Nothing else bounds what this process waits for.
      alarm(60)
      let following = Task {
        let client = try NightlatchClient(provider: "work", runtimeFolder: RuntimeFolder(path: path))
        var count = 0
        for await _ in try client.authStates() {
          count += 1
          #expect(openFiles(like: "inotify") > 0)
          withUnsafeCurrentTask { $0?.cancel() }
        }
        return count
      }
      let seen = try await following.value
      #expect(seen == 1)
      while openFiles(like: "inotify") > 0 { await Task.yield() }
    }
  }
}

/// How many descriptors of this process lead to something of that name.
private func openFiles(like name: String) -> Int {
  (0..<1024).count { number in
    var buffer = [CChar](repeating: 0, count: 256)
    let length = readlink("/proc/self/fd/\(number)", &buffer, buffer.count)
    return length > 0
      && String(decoding: buffer.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self).contains(name)
  }
}
