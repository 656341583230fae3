import Glibc
import Scheduling

/// The system's time zone database: the administrator's tzdata counts, not a copy in a library.
public final class ZoneDatabase {
  private let folder: String
  private let localLink: String

  public init(folder: String = "/usr/share/zoneinfo", localLink: String = "/etc/localtime") {
    self.folder = folder
    self.localLink = localLink
  }

  /// The TZif file (RFC 8536) of an IANA name.
  public func bytes(of name: String) throws(PlatformError) -> [UInt8] {
    guard Self.isSafe(name) else { throw .unknownZone(name) }
    do {
      return try SourceFiles.bytes(of: "\(folder)/\(name)", limit: 1 << 20)
    } catch .system(_, let reason) where reason == ENOENT || reason == ENOTDIR || reason == EISDIR {
      throw .unknownZone(name)
    } catch {
      throw error
    }
  }

  /// The IANA name behind `/etc/localtime` (localtime(5)); "UTC" when the file is missing; nil when it
  /// is a copy, not a link into the database.
  public func localName() -> String? {
    var target = [CChar](repeating: 0, count: 4096)
    let count = readlink(localLink, &target, target.count)
    guard count > 0 else { return errno == ENOENT ? "UTC" : nil }
    let path = String(decoding: target[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    guard let range = path.firstRange(of: "zoneinfo/") else { return nil }
    let name = String(path[range.upperBound...])
    return Self.isSafe(name) ? name : nil
  }

  /// Names come from configuration files: none may leave the database's folder.
  nonisolated static func isSafe(_ name: String) -> Bool {
    guard (1...255).contains(name.utf8.count), !name.hasPrefix("/"), !name.utf8.contains(0) else {
      return false
    }
    return name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
      !part.isEmpty && part != "." && part != ".."
    }
  }
}
