import Glibc

/// Where the daemon and the agent keep what lives as long as the boot.
public struct RuntimeFolder: Hashable, Sendable {
  public var path: String

  public init(path: String) { self.path = path }

  /// `NIGHTLATCH_RUNTIME` if it is set, else `/run/nightlatch`.
  public static var system: RuntimeFolder {
    RuntimeFolder(path: variable("NIGHTLATCH_RUNTIME") ?? "/run/nightlatch")
  }

  /// `NIGHTLATCH_RUNTIME` if it is set, else `$XDG_RUNTIME_DIR/nightlatch`.
  public static func user() throws(NightlatchError) -> RuntimeFolder {
    if let path = variable("NIGHTLATCH_RUNTIME") { return RuntimeFolder(path: path) }
    guard let folder = variable("XDG_RUNTIME_DIR") else { throw .noUserRuntimeFolder }
    return RuntimeFolder(path: "\(folder)/nightlatch")
  }

  private static func variable(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }
}
