import AuthModel
import Glibc
import Scheduling

/// What a credential helper prints: `{"access_token", "expires_at" or "expires_in", "user"}`.
struct CommandAnswer {
  /// Nil without a token that can stand in a header.
  let answer: TokenAnswer?

  /// - Parameter now: when the helper was started, for `expires_at`.
  init(_ output: Secret, now: WallTime) {
    guard let object = JSONObject.parseAnswer(output), var answer = TokenAnswer(object) else {
      self.answer = nil
      return
    }
    // A refresh token would be the helper's business.
    answer.refreshToken = nil
    if answer.lifetime == nil {
      let expires = Self.time(object, "expires_at") ?? TokenExpiry.hint(in: answer.accessToken)
      answer.lifetime = expires.map { $0 - now }
    }
    answer.user = Self.user(object)
    self.answer = answer
  }

  /// Seconds since the epoch, or an RFC 3339 time in UTC.
  private static func time(_ object: JSONObject, _ key: String) -> WallTime? {
    if let seconds = object.seconds(key) { return WallTime(microseconds: 0) + seconds }
    // A fraction of a second does not matter.
    let format = /(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?[Zz]/.asciiOnlyDigits()
    guard let match = object.string(key)?.wholeMatch(of: format)?.output else { return nil }
    var parts = tm()
    let numbers = [match.1, match.2, match.3, match.4, match.5, match.6].compactMap { Int32($0) }
    guard numbers.count == 6, 1...12 ~= numbers[1], 1...31 ~= numbers[2], numbers[3] < 24, numbers[4] < 60,
      numbers[5] <= 60
    else { return nil }
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[3], numbers[4], numbers[5])
    return WallTime(seconds: Int64(timegm(&parts)))
  }

  /// A string, or an object with `id`, `name` and `linked_accounts`.
  private static func user(_ object: JSONObject) -> User? {
    if let id = object.string("user") { return User(id: HTTPClient.printable(id)) }
    guard let user = object.object("user"), let id = user.text("id") else { return nil }
    let accounts = user.objects("linked_accounts").prefix(64).compactMap { account -> LinkedAccount? in
      guard let kind = account.string("kind"), let identifier = account.text("identifier") else { return nil }
      return LinkedAccount(kind: HTTPClient.printable(kind), identifier: HTTPClient.printable(identifier))
    }
    return User(
      id: HTTPClient.printable(id), name: user.string("name").map(HTTPClient.printable),
      linkedAccounts: accounts)
  }
}
