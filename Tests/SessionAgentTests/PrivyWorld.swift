import AuthModel
import Scheduling

@testable import SessionAgent

extension FlowWorld {
  static let sessions = "/api/v1/sessions"

  /// The project's own Privy server in place of the OpenID provider.
  static func privy() throws -> FlowWorld {
    let world = try FlowWorld(server: "privy.py")
    world.provider = ProviderDefinition(
      name: ProviderName("work"), kind: .privy(ProviderDefinition.PrivyApp(id: "app-nightlatch")),
      clientID: "client-nightlatch")
    world.provider.requestTimeout = .seconds(20)
    world.provider.endpoints.token = world.proxy.url + sessions
    world.providerFile = """
      kind = "privy"
      app_id = "app-nightlatch"
      client_id = "client-nightlatch"
      endpoints.token = "\(world.proxy.url + sessions)"
      """
    return world
  }

  /// Puts a session in the store that the server knows.
  func beginWithPrivy() throws {
    let answer = try server.post("/test/grant")
    guard let token = answer.secret("token"), let user = answer.object("user").flatMap(PrivySession.user)
    else {
      throw TestFailure("no grant")
    }
    let now = try SystemClock().moment
    try put(
      SessionRecord(
        generation: 1, accessToken: token, refreshToken: answer.secret("refresh_token"), obtained: now,
        lifetime: TokenExpiry.hint(in: token).map { $0 - now.wall }, issuer: PrivySession.issuer, user: user,
        providerToken: answer.secret("privy_access_token")))
    _ = try agent().publish()
  }

  /// A fault in the next request for a session.
  func planForPrivy(_ fault: String) throws {
    try plan(fault.dropLast() + #","path":"/sessions"}"#)
  }
}
