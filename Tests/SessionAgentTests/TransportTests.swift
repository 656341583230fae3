import AuthModel
import Glibc
import Scheduling
import Testing

@testable import SessionAgent

/// TLS with an authority of our own, and with client certificates (RFC 8705).
@Suite struct TransportTests {
  /// A server certificate, one for the client `nightlatch-tls`, and one of a stranger.
  static func makeCertificates(in folder: TemporaryFolder) throws {
    let script = """
      set -e; cd "$0"
      ca() { openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -keyout $1.key -out $1.pem -subj "/CN=$1"; }
      sign() {
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout $2.key -out $2.csr -subj "/CN=$2"
        echo subjectAltName=IP:127.0.0.1 > $2.ext
        openssl x509 -req -in $2.csr -CA $1.pem -CAkey $1.key -CAcreateserial -days 2 -extfile $2.ext -out $2.pem
      }
      ca ca; sign ca server; sign ca nightlatch-tls; sign ca stranger
      chmod 600 *.key
      """
    let child = try Child("sh", ["-c", script, folder.path])
    child.closeInput()
    let output = child.readAll()
    guard child.wait() == .exited(0) else { throw TestFailure(output) }
  }

  /// A server that speaks TLS; its sessions belong to `nightlatch-tls`.
  private func world() throws -> (FlowWorld, TemporaryFolder) {
    let folder = try TemporaryFolder()
    try Self.makeCertificates(in: folder)
    let world = try FlowWorld(["--tls", folder.path])
    world.server.transport.authorities = folder.path + "/ca.pem"
    world.provider.kind = .oauth2
    world.provider.clientID = "nightlatch-tls"
    world.provider.clientAuthentication = .certificate
    world.provider.transport.authorities = folder.path + "/ca.pem"
    world.provider.endpoints.token = world.server.url + "/token"
    let answer = try world.server.post("/test/grant", "user=alice&client_id=nightlatch-tls")
    let tokens = try #require(TokenAnswer(answer))
    try world.put(
      SessionRecord(
        generation: 1, accessToken: tokens.accessToken, refreshToken: tokens.refreshToken,
        obtained: try SystemClock().moment, lifetime: tokens.lifetime, user: User(id: "alice")))
    _ = try world.agent().publish()
    return (world, folder)
  }

  @Test func `a client certificate is who we are`() throws {
    let (world, folder) = try world()
    world.provider.transport.certificate = ProviderDefinition.ClientCertificate(
      file: folder.path + "/nightlatch-tls.pem", key: .file(folder.path + "/nightlatch-tls.key"))
    let report = try world.agent().refresh()
    #expect(report.status == .success, "\(report.message)")
    #expect(try world.state()?.name == "authenticated")
  }

  @Test func `without one, or with another's, the server says that the client is wrong`() throws {
    let (world, folder) = try world()
    #expect(try world.agent().refresh().status == .configuration)
    world.provider.transport.certificate = ProviderDefinition.ClientCertificate(
      file: folder.path + "/stranger.pem", key: .file(folder.path + "/stranger.key"))
    #expect(try world.agent().refresh().status == .configuration)
    #expect(world.snapshot?.spend == .settled)
  }

  @Test func `an authority that is not trusted is a failure before the first byte`() throws {
    let (world, folder) = try world()
    world.provider.transport.authorities = nil
    #expect(try world.agent().refresh().status == .tryLater)
    #expect(world.snapshot?.lastAttempt?.outcome == .transient)
    // Trusted by nobody but itself.
    world.provider.transport.authorities = folder.path + "/stranger.pem"
    #expect(try world.agent().refresh().status == .tryLater)
    #expect(world.snapshot?.lastAttempt?.outcome == .transient)
    #expect(world.snapshot?.spend == .settled)
  }

  @Test func `a file that is missing, or readable by others, is a matter of configuration`() throws {
    let (world, folder) = try world()
    world.provider.transport.authorities = folder.path + "/nowhere.pem"
    #expect(try world.agent().refresh().status == .configuration)
    world.provider.transport.authorities = folder.path + "/ca.pem"
    chmod(folder.path + "/nightlatch-tls.key", 0o644)
    world.provider.transport.certificate = ProviderDefinition.ClientCertificate(
      file: folder.path + "/nightlatch-tls.pem", key: .file(folder.path + "/nightlatch-tls.key"))
    #expect(try world.agent().refresh().status == .configuration)
    #expect(world.snapshot?.spend == .settled)
    #expect(try world.server.get("/test/log").objects("requests").isEmpty)
  }
}
