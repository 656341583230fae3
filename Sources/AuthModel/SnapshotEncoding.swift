/// A ``Snapshot`` as bytes: little-endian, every field at a fixed offset, always ``byteCount`` long.
///
/// The first 16 bytes are the same in every version: magic, version, length, and a CRC-32C of all
/// bytes but its own four. So an intact snapshot of another version is told from a damaged one.
/// Bytes that no field uses are zero, and are checked: there is exactly one encoding of a snapshot.
///
/// Durations are whole microseconds, the refresh token's lifetime whole seconds in 32 bits. Strings longer than their field are cut at the end of a
/// Unicode scalar: 510 bytes of UTF-8 for the user's id (OpenID Connect Core 1.0 section 2 allows a
/// `sub` of 255 ASCII characters) and for an attempt's detail, 254 for the user's name, email and user
/// name. Of the linked accounts (``LinkedAccount/text(_:limit:)``) those are kept that fit into 1,022 bytes. A boot id
/// longer than 38 bytes, which no kernel has, is cut too and then belongs to no boot.
public enum SnapshotEncoding {
  public static let version: UInt32 = 2
  public static let byteCount = 3096

  /// "NLSN".
  static let magic: UInt32 = 0x4e53_4c4e
  static let headerByteCount = 16

  enum Offset {
    static let magic = 0
    static let version = 4
    static let length = 8
    static let checksum = 12
    static let generation = 16
    static let session = 24
    static let absentReason = 25
    static let spend = 26
    static let flags = 27
    static let outcome = 28
    static let failures = 32
    static let refreshLifetime = 36
    static let published = 40
    static let tokenGeneration = 56
    static let obtained = 64
    static let lifetime = 80
    static let skew = 88
    static let ended = 96
    static let retryAfter = 112
    static let publishedBootID = 120
    static let obtainedBootID = 160
    static let verifiedBootID = 200
    static let endedBootID = 240
    static let userID = 280
    static let userName = 792
    static let detail = 1048
    static let linkedAccounts = 1560
    static let userEmail = 2584
    static let username = 2840
  }

  /// The size of each string field, its two bytes of length included.
  enum Width {
    static let bootID = 40
    static let userID = 512
    static let userName = 256
    static let detail = 512
    static let userEmail = 256
    static let username = 256
    static let linkedAccounts = 1024
  }

  enum SessionKind: UInt8 {
    case absent = 0
    case present = 1
    case unreadable = 2
  }

  /// Which of the optional fields are there.
  struct Flags: OptionSet {
    let rawValue: UInt8

    static let attempt = Flags(rawValue: 1)
    static let userName = Flags(rawValue: 2)
    static let lifetime = Flags(rawValue: 4)
    static let verified = Flags(rawValue: 8)
    static let retryAfter = Flags(rawValue: 16)
    static let refreshLifetime = Flags(rawValue: 128)
    static let userEmail = Flags(rawValue: 32)
    static let username = Flags(rawValue: 64)
  }
}
