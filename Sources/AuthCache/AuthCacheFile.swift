public import AuthModel

/// Where a provider's auth cache lies and who may read it.
public struct AuthCacheFile: Hashable, Sendable {
  public var path: String
  /// The permission bits.
  public var mode: UInt32
  /// The group the file is given to; nil: the process's own.
  public var group: UInt32?

  /// A file with a path and permissions of the caller's choice.
  public init(path: String, mode: UInt32 = 0o600, group: UInt32? = nil) {
    self.path = path
    self.mode = mode
    self.group = group
  }

  /// `RUNTIME/auth/NAME`: 0640 with the given group in system mode, 0600 without one in user mode.
  public init(
    of provider: ProviderName, inRuntimeFolder runtime: String, group: UInt32? = nil
  ) throws(AuthCacheError) {
    let name = provider.description
    guard !name.isEmpty, !name.hasPrefix("."), !name.utf8.contains(where: { $0 == 0x2f || $0 == 0 }) else {
      throw .invalidName(provider)
    }
    self.init(
      path: "\(Self.folder(inRuntimeFolder: runtime))/\(name)", mode: group == nil ? 0o600 : 0o640,
      group: group)
  }

  /// The folder that holds every provider's cache: the one to watch for new files.
  public static func folder(inRuntimeFolder runtime: String) -> String { "\(runtime)/auth" }

  /// Where a new file is prepared: beside the old one, so that a rename can put it in its place.
  var temporaryPath: String {
    let slash = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
    return "\(path[..<slash]).\(path[slash...]).new"
  }
}
