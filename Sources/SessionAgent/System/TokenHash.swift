import CSodium

/// The SHA-256 of a token: names it in the spend journal and in a tombstone without revealing it.
public struct TokenHash: Hashable, Sendable, CustomStringConvertible {
  static let length = 32
  let bytes: [UInt8]

  init?(bytes: [UInt8]) {
    guard bytes.count == Self.length else { return nil }
    self.bytes = bytes
  }

  public init(of token: Secret) {
    var digest = [UInt8](repeating: 0, count: Self.length)
    token.withPointer { source, count in _ = crypto_hash_sha256(&digest, source, UInt64(count)) }
    bytes = digest
  }

  /// 64 hexadecimal digits.
  public var description: String { Hexadecimal.text(bytes) }
}
