import AuthModel
import Glibc
import Scheduling

/// Privy's session endpoint: JSON in place of a form, and an envelope that says what to do with it.
struct PrivySession {
  /// What stands in place of the refresh token when the real one is in an HttpOnly cookie.
  static let cookieMode = "deprecated"
  static let cookieModeExplanation =
    "the word \"deprecated\" in place of a refresh token: the app keeps the real one in an HttpOnly cookie, which "
    + "only a browser can use; turn HttpOnly cookies off for this client in Privy's dashboard and log in again"
  /// Names the issuer of a session's user, so that another user in a later answer is noticed.
  static let issuer = "privy.io"

  let app: ProviderDefinition.PrivyApp
  let clientID: String
  let machine: MachineIdentity
  /// What we hold; nil for a refresh token that is being imported.
  let record: SessionRecord?

  /// The request that spends `token`.
  func request(_ url: String, spending token: Secret, timeout: Duration) -> HTTPRequest {
    let body = Secret()
    body.append("{\"refresh_token\":")
    body.appendJSON(token)
    body.append("}")
    let bearer = (record?.providerToken ?? record?.accessToken).map { token in
      let bearer = Secret()
      bearer.append("Bearer ")
      bearer.append(token)
      return bearer
    }
    var request = HTTPRequest.post(
      url, body: body, authorization: bearer, timeout: timeout, isInterruptible: false)
    request.contentType = "application/json"
    request.headers = headers
    return request
  }

  private var headers: [(name: String, value: String)] {
    var headers = [
      ("privy-app-id", app.id), ("privy-client-id", clientID), ("privy-client", "nightlatch"),
      ("privy-ca-id", installation),
    ]
    if let origin = app.origin { headers.append(("Origin", origin)) }
    if let identifier = app.nativeIdentifier { headers.append(("x-native-app-identifier", identifier)) }
    return headers
  }

  /// The same for an app on this machine, and unlike the machine's own identifier no secret
  /// (machine-id(5) asks for a keyed hash). In the shape of a UUID.
  private var installation: String {
    let bytes = Array("nightlatch privy-ca-id \(app.id) ".utf8) + machine.bytes
    let digits = bytes.withUnsafeBytes { TokenHash(of: Secret($0)).description }
    let widths = [8, 4, 4, 4, 12]
    return widths.indices.map { index in
      let start = widths[..<index].reduce(0, +)
      return String(digits.dropFirst(start).prefix(widths[index]))
    }.joined(separator: "-")
  }

  /// What an answer is, and the token in it or the one that it lets us keep.
  func read(_ response: HTTPResponse, at now: Now, in bootID: BootID) -> (Exchange.Body, TokenAnswer?) {
    guard let object = JSONObject.parseAnswer(response.body) else {
      let claimsJSON = response.contentType?.hasSuffix("json") ?? false
      return (Exchange.unparsable(response.body, claimsJSON: claimsJSON), nil)
    }
    guard (200...299).contains(response.status) else {
      let code = object.string("code") ?? object.string("error")
      return (code.map { .error($0) } ?? .neither, nil)
    }
    return envelope(object, serverNow: response.date ?? now.wall, now, bootID)
  }

  private func envelope(_ object: JSONObject, serverNow: WallTime, _ now: Now, _ bootID: BootID)
    -> (Exchange.Body, TokenAnswer?)
  {
    let action = object.string("session_update_action")
    if action == "clear" { return (.cleared, nil) }
    if object.string("refresh_token") == Self.cookieMode { return (.cookieMode, nil) }
    let new = object.secret("token").flatMap { $0.isVisibleASCII ? $0 : nil }
    var answer: TokenAnswer
    if let new, action != "ignore" || isNewer(new) {
      let expires = TokenExpiry.hint(in: new)
      answer = TokenAnswer(
        accessToken: new,
        refreshToken: TokenAnswer.refreshToken(object),
        lifetime: expires.map { $0 - serverNow })
    } else if action == "ignore" {
      // The server did not mint, because it thinks that ours is still good. It has to be.
      guard let record, let left = timeLeft(of: record, serverNow, now, bootID), left > .zero else {
        return (.notRenewed, nil)
      }
      answer = TokenAnswer(
        accessToken: record.accessToken,
        refreshToken: TokenAnswer.refreshToken(object), lifetime: left)
    } else {
      return (object.string("error").map { .error($0) } ?? .neither, nil)
    }
    answer.user = object.object("user").flatMap(Self.user)
    answer.providerToken = object.secret("privy_access_token").flatMap { $0.isVisibleASCII ? $0 : nil }
    return (Exchange.body(of: answer), answer)
  }

  private func isNewer(_ token: Secret) -> Bool {
    guard let theirs = TokenExpiry.hint(in: token),
      let ours = record.flatMap({ TokenExpiry.hint(in: $0.accessToken) })
    else {
      return true
    }
    return theirs > ours
  }

  private func timeLeft(
    of record: SessionRecord, _ serverNow: WallTime, _ now: Now, _ bootID: BootID
  ) -> Duration? {
    TokenExpiry.hint(in: record.accessToken).map { $0 - serverNow }
      ?? record.published.tokenTimeLeft(at: now, in: bootID)
  }
}

extension PrivySession {
  /// Nil without an identifier.
  static func user(_ object: JSONObject) -> User? {
    guard let id = object.string("id").map(HTTPClient.printable) else { return nil }
    let accounts = object.objects("linked_accounts").prefix(64).compactMap(account)
    let name = accounts.first { $0.kind == "email" }?.identifier
    return User(id: id, name: name, linkedAccounts: accounts)
  }

  private static func account(_ object: JSONObject) -> LinkedAccount? {
    // Each kind of account has its own word for what it is called.
    let names = [
      "address", "email", "phone_number", "phoneNumber", "number", "username", "telegram_user_id",
      "custom_user_id",
      "subject", "fid", "credential_id",
    ]
    guard let kind = object.string("type"), let identifier = names.lazy.compactMap({ object.text($0) }).first
    else {
      return nil
    }
    return LinkedAccount(kind: HTTPClient.printable(kind), identifier: HTTPClient.printable(identifier))
  }
}

extension Secret {
  /// Appends a token as a JSON string. A token is visible ASCII.
  func appendJSON(_ token: Secret) {
    append(UInt8(ascii: "\""))
    token.withBytes { bytes in
      for byte in bytes {
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { append(UInt8(ascii: "\\")) }
        append(byte)
      }
    }
    append(UInt8(ascii: "\""))
  }
}
