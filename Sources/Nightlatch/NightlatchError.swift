/// Why a client could not be made.
public enum NightlatchError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The provider's name can't name a file.
  case invalidProviderName(String)
  /// `/proc/sys/kernel/random/boot_id` can't be read, so nothing can be known to be verified in this boot.
  case unknownBoot
  /// User mode was asked for, but `XDG_RUNTIME_DIR` is not set.
  case noUserRuntimeFolder

  public var description: String {
    switch self {
    case .invalidProviderName(let name):
      "can't look up the provider \"\(name)\": a name is not empty, holds no slash and doesn't begin with a dot; use the name of its file in providers.d"
    case .unknownBoot:
      "can't tell which boot this is: /proc/sys/kernel/random/boot_id is unreadable; mount /proc in this process's namespace"
    case .noUserRuntimeFolder:
      "can't find the user's runtime folder: XDG_RUNTIME_DIR is not set; name the folder, or run within a login session"
    }
  }
}
