import AuthCache
import AuthModel
import Glibc
import Nightlatch
import Scheduling
import Testing

@Suite struct ForegroundStateTests {
  let folder = TemporaryFolder()

  init() { mkdir("\(folder.path)/auth", 0o700) }

  private var socketPath: String { "\(folder.path)/control.sock" }

  private func client() throws -> NightlatchClient {
    try NightlatchClient(provider: "work", runtimeFolder: RuntimeFolder(path: folder.path))
  }

  @Test func `the state is what the cache says after the phase`() async throws {
    let file = try AuthCacheFile(of: ProviderName("work"), inRuntimeFolder: folder.path)
    let daemon = try StandInDaemon(at: socketPath)
    async let call = daemon.serve { _ in
      var loggedOut = snapshot(1)
      loggedOut.session = .absent(.rejected)
      let published = (try? AuthCacheWriter(file).publish(loggedOut)) != nil
      return published ? #"{"parameters":{"providers":[]}}"# + "\0" : nil
    }
    let client = try client()
    #expect(client.authStateWithoutRefresh() == .notReady(.noSnapshot))
    #expect(try await client.authState() == .unauthenticated(.rejected))
    #expect(
      await call
        == #"{"method":"org.nightlatch.Control.Foreground","parameters":{"provider":"work","wait":true}}"#)
  }

  @Test func `a refusal says what the daemon said`() async throws {
    let daemon = try StandInDaemon(at: socketPath)
    async let call = daemon.serve { _ in
      #"{"error":"org.nightlatch.Control.NotNow","parameters":{"reason":"about to stop"}}"# + "\0"
    }
    let client = try client()
    await #expect(throws: NightlatchError.refused(reason: "Not now: about to stop")) {
      try await client.authState()
    }
    _ = await call
  }

  @Test(arguments: ["", "{\"parameters\":"]) func `a daemon that goes away is no answer`(_ reply: String)
    async throws
  {
    let daemon = try StandInDaemon(at: socketPath)
    async let call = daemon.serve { _ in reply }
    let client = try client()
    await #expect(throws: NightlatchError.hungUp(socket: socketPath)) { try await client.authState() }
    _ = await call
  }

  @Test func `no daemon is an error that names the socket`() async throws {
    let client = try client()
    await #expect(throws: NightlatchError.unreachable(socket: socketPath, code: ENOENT)) {
      try await client.authState()
    }
  }

  @Test func `a cancelled task stops waiting`() async throws {
    let daemon = try StandInDaemon(at: socketPath)
    let runtime = RuntimeFolder(path: folder.path)
    let waiting = Task {
      let client = try NightlatchClient(provider: "work", runtimeFolder: runtime)
      return try await client.authState()
    }
    // The daemon has the call and never answers it.
    _ = await daemon.serve { _ in
      waiting.cancel()
      return nil
    }
    await #expect(throws: NightlatchError.cancelled) { try await waiting.value }
  }

  @Test func `inside a run it refuses without asking anybody`() async {
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      setenv("NIGHTLATCH_RUN", "0123", 1)
      let client = try NightlatchClient(provider: "work", runtimeFolder: RuntimeFolder(path: path))
      await #expect(throws: NightlatchError.insideRun) { try await client.authState() }
    }
  }
}
