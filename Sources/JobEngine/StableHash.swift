import Scheduling

/// FNV-1a with a final mix: the same on every machine and in every version, unlike `Hasher`.
///
/// Used for run identifiers and for jitter, which must not be re-rolled by a restart. Not for secrets.
public enum StableHash {
  /// Hashes the parts with a separator between them, so that ("a", "bc") and ("ab", "c") differ.
  public static func of(_ parts: String...) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for part in parts {
      for byte in part.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
      hash = (hash ^ 0xff) &* 0x0000_0100_0000_01b3
    }
    // Murmur3's finalizer: FNV alone leaves the high bits of short inputs alike.
    hash = (hash ^ (hash >> 33)) &* 0xff51_afd7_ed55_8ccd
    hash = (hash ^ (hash >> 33)) &* 0xc4ce_b9fe_1a85_ec53
    return hash ^ (hash >> 33)
  }

  /// A duration in `0 ..< bound`, drawn from `hash`; zero when the bound is.
  public static func duration(below bound: Duration, from hash: UInt64) -> Duration {
    let microseconds = bound.wholeMicroseconds
    guard microseconds > 0 else { return .zero }
    return .microseconds(Int64(hash % UInt64(microseconds)))
  }
}
