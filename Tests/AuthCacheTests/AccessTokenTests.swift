import AuthModel
import Glibc
import Nightlatch
import Scheduling
import Testing

@Suite struct AccessTokenTests {
  let folder = TemporaryFolder()

  private var socketPath: String { "\(folder.path)/control.sock" }

  private func client() throws -> NightlatchClient {
    try NightlatchClient(provider: "work", runtimeFolder: RuntimeFolder(path: folder.path))
  }

  @Test func `the token is what the daemon says, and does not print itself`() async throws {
    let daemon = try StandInDaemon(at: socketPath)
    async let call = daemon.serve { _ in
      #"{"parameters":{"token":"secret-1","expires":"2027-01-01T00:00:00Z"}}"# + "\0"
    }
    let token = try await client().accessToken(minimumValidity: .seconds(90), patience: .seconds(5))
    #expect(token.value == "secret-1")
    #expect(token.expires == WallTime(seconds: 1_798_761_600))
    var dumped = ""
    dump(token, to: &dumped)
    for text in ["\(token)", String(reflecting: token), dumped] { #expect(!text.contains("secret-1")) }
    #expect(
      await call
        == #"{"method":"org.nightlatch.Control.GetToken","parameters":{"min_valid_usec":90000000,"provider":"work","wait_usec":5000000}}"#
    )
  }

  @Test func `no token says why and what the session is`() async throws {
    let daemon = try StandInDaemon(at: socketPath)
    async let call = daemon.serve { _ in
      #"{"error":"org.nightlatch.Control.TokenUnavailable","parameters":{"provider":"work","auth_state":"unauthenticated","reason":"nobody is logged in"}}"#
        + "\0"
    }
    let client = try client()
    let error = NightlatchError.noToken(authState: "unauthenticated", reason: "nobody is logged in")
    await #expect(throws: error) { try await client.accessToken() }
    #expect("\(error)" == "can't get an access token (the session is unauthenticated): nobody is logged in")
    _ = await call
  }

  @Test func `the network's return is passed on`() async throws {
    let daemon = try StandInDaemon(at: socketPath)
    async let call = daemon.serve { _ in #"{"parameters":{}}"# + "\0" }
    try await client().onNetworkRestored()
    #expect(await call == #"{"method":"org.nightlatch.Control.NetworkRestored","parameters":{}}"#)
  }
}
