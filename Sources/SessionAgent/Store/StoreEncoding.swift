import AuthModel
import Scheduling

/// The sealed content: a sequence of fields, each a tag (1 byte), a length (4 bytes, little endian)
/// and a value. Integers are 8 bytes, little endian; times and durations are microseconds. A reader
/// passes over tags it does not know.
enum StoreEncoding {
  enum Tag: UInt8 {
    case kind = 1
    case generation, accessToken, refreshToken, bootID, boot, wall, lifetime, skew, isVerified, scope, issuer
    case userID, userName, endReason, tokenHash, linkedAccounts, providerToken, userEmail, username, authTime
    case refreshLifetime, isRefreshTokenSpent
  }

  enum Kind: UInt64 {
    case session = 1
    case tombstone = 2
  }

  static func encode(_ record: SessionRecord) -> Secret {
    let content = Secret(capacity: 8 << 10)
    content.append(.kind, Kind.session.rawValue)
    content.append(.generation, record.generation)
    record.accessToken.withBytes { content.append(.accessToken, $0) }
    record.refreshToken?.withBytes { content.append(.refreshToken, $0) }
    content.append(record.obtained)
    if let lifetime = record.lifetime { content.append(.lifetime, lifetime.wholeMicroseconds) }
    content.append(.skew, record.skew.wholeMicroseconds)
    content.append(.isVerified, UInt64(record.isVerified ? 1 : 0))
    if let scope = record.scope { content.append(.scope, scope) }
    if let issuer = record.issuer { content.append(.issuer, issuer) }
    content.append(record.user)
    if let time = record.authTime { content.append(.authTime, time.microseconds) }
    record.providerToken?.withBytes { content.append(.providerToken, $0) }
    if let lifetime = record.refreshLifetime { content.append(.refreshLifetime, lifetime.wholeMicroseconds) }
    if record.isRefreshTokenSpent { content.append(.isRefreshTokenSpent, UInt64(1)) }
    return content
  }

  static func encode(_ tombstone: Tombstone) -> Secret {
    let content = Secret()
    content.append(.kind, Kind.tombstone.rawValue)
    content.append(.generation, tombstone.generation)
    content.append(.endReason, UInt64(tombstone.reason.rawValue))
    content.append(tombstone.ended)
    if let token = tombstone.token { token.bytes.withUnsafeBytes { content.append(.tokenHash, $0) } }
    return content
  }

  /// Nil if anything that must be there is missing or out of range.
  static func decode(_ content: UnsafeRawBufferPointer) -> StoredSession? {
    guard let fields = StoreFields(content), let kind = fields.integer(.kind).flatMap(Kind.init),
      let generation = fields.integer(.generation), let moment = fields.moment
    else { return nil }
    switch kind {
    case .session:
      guard let accessToken = fields.secret(.accessToken), let user = fields.user else {
        return nil
      }
      return .present(
        SessionRecord(
          generation: generation, accessToken: accessToken, refreshToken: fields.secret(.refreshToken),
          obtained: moment, lifetime: fields.duration(.lifetime), skew: fields.duration(.skew) ?? .zero,
          isVerified: fields.integer(.isVerified) == 1, scope: fields.text(.scope),
          issuer: fields.text(.issuer), user: user, authTime: fields.wallTime(.authTime),
          providerToken: fields.secret(.providerToken), refreshLifetime: fields.duration(.refreshLifetime),
          isRefreshTokenSpent: fields.integer(.isRefreshTokenSpent) == 1))
    case .tombstone:
      guard let number = fields.integer(.endReason), let raw = UInt8(exactly: number),
        let reason = UnauthenticatedReason(rawValue: raw)
      else { return nil }
      let token = fields.bytes(.tokenHash).flatMap { TokenHash(bytes: Array($0)) }
      return .ended(Tombstone(generation: generation, reason: reason, ended: moment, token: token))
    }
  }
}

extension Secret {
  fileprivate func append(_ tag: StoreEncoding.Tag, _ value: UnsafeRawBufferPointer) {
    append(tag.rawValue)
    withUnsafeBytes(of: UInt32(clamping: value.count).littleEndian) { append($0) }
    append(value)
  }

  fileprivate func append(_ tag: StoreEncoding.Tag, _ value: String) {
    var value = value
    value.withUTF8 { append(tag, UnsafeRawBufferPointer($0)) }
  }

  fileprivate func append(_ tag: StoreEncoding.Tag, _ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { append(tag, $0) }
  }

  fileprivate func append(_ user: User) {
    append(.userID, user.id)
    if let name = user.name { append(.userName, name) }
    if let email = user.email { append(.userEmail, email) }
    if let username = user.username { append(.username, username) }
    if !user.linkedAccounts.isEmpty { append(.linkedAccounts, LinkedAccount.text(user.linkedAccounts)) }
  }

  fileprivate func append(_ moment: Moment) {
    append(.bootID, moment.bootID.description)
    append(.boot, moment.boot.microseconds)
    append(.wall, moment.wall.microseconds)
  }
}
