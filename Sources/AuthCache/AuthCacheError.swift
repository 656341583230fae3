public import AuthModel
import Glibc

/// What can go wrong with the auth cache file. Readers never throw: they report `notReady`.
public enum AuthCacheError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The provider's name can't name a file.
  case invalidName(ProviderName)
  /// The file exists but can't be opened or mapped; `code` is an errno.
  case unreadable(path: String, code: Int32)
  /// The file can't be created, filled, owned or renamed; `code` is an errno.
  case unwritable(path: String, step: String, code: Int32)

  /// The snapshot is published, but the file could not be touched; `code` is an errno.
  case unannounced(path: String, code: Int32)

  public var description: String {
    switch self {
    case .invalidName(let name):
      "can't name an auth cache file after the provider \"\(name)\": a name is not empty, holds no slash and doesn't begin with a dot; rename its file in providers.d"
    case .unreadable(let path, let code):
      "can't open the auth cache \(path): \(Self.text(of: code)); nothing was published, readers keep what they have"
    case .unwritable(let path, let step, let code):
      "can't write the auth cache \(path) (\(step)): \(Self.text(of: code)); nothing was published, readers keep what they have"
    case .unannounced(let path, let code):
      "published to the auth cache \(path) but can't touch it: \(Self.text(of: code)); whoever watches the file hears of the snapshot only at the next one, whoever reads it has it"
    }
  }

  private static func text(of code: Int32) -> String { String(cString: strerror(code)) }
}
