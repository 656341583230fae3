import Glibc
public import Scheduling

/// The system's time zone database: the administrator's tzdata counts, not a copy in a library.
public final class ZoneDatabase {
  private let folder: String
  private let localLink: String
  private var cache: [String: TimeZoneRules] = [:]

  /// Other paths than the defaults are for tests.
  public init(folder: String = "/usr/share/zoneinfo", localLink: String = "/etc/localtime") {
    self.folder = folder
    self.localLink = localLink
  }

  /// The same database as it is on disk now.
  public func reopened() -> ZoneDatabase { ZoneDatabase(folder: folder, localLink: localLink) }

  /// The rules of an IANA name; each file is read once in this database's life. `UTC` needs no file.
  public func rules(_ name: String) throws(PlatformError) -> TimeZoneRules {
    if let rules = cache[name] { return rules }
    let rules = try read(name)
    cache[name] = rules
    return rules
  }

  /// The machine's own zone: what `/etc/localtime` (localtime(5)) links to, `UTC` when it is missing. A
  /// copy instead of a link has no name of its own and is called `localtime`.
  public func local() throws(PlatformError) -> TimeZoneRules {
    if let name = localName() { return try rules(name) }
    let bytes = try SourceFiles.bytes(of: localLink, limit: 1 << 20)
    return try Self.parse(name: "localtime", bytes)
  }

  /// The IANA name behind `/etc/localtime`, `UTC` when it is missing, nil when it is no link into a zone
  /// database.
  func localName() -> String? {
    var target = [CChar](repeating: 0, count: 4096)
    let count = readlink(localLink, &target, target.count)
    guard count > 0 else { return errno == ENOENT ? TimeZoneRules.utc.name : nil }
    let path = String(decoding: target[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    guard let range = path.firstRange(of: "zoneinfo/") else { return nil }
    let name = String(path[range.upperBound...])
    return TimeZoneRules.isName(name) ? name : nil
  }

  /// Every name that the database knows; looked up once. For suggestions.
  public private(set) lazy var names: [String] =
    SourceFiles.names(in: folder)?
    // `posix`, `right`, `localtime` and `posixrules` say the same in other words.
    .filter { $0.first?.isUppercase == true }.flatMap { names(from: $0) }.sorted() ?? []

  private func names(from name: String) -> [String] {
    guard TimeZoneRules.isName(name) else { return [] }
    let path = "\(folder)/\(name)"
    guard (try? FileStatus(of: path))?.isFolder == true else { return [name] }
    return (SourceFiles.names(in: path) ?? []).flatMap { names(from: "\(name)/\($0)") }
  }

  /// The file of a zone, and the links that lead to it.
  public func files(of name: String) -> Set<String> {
    TimeZoneRules.isName(name) ? FilePath.lookups(of: "\(folder)/\(name)") : []
  }

  /// The file that says which zone is the machine's, and the links that lead to it.
  public var localFiles: Set<String> { FilePath.lookups(of: localLink) }

  private func read(_ name: String) throws(PlatformError) -> TimeZoneRules {
    // Names come from configuration files: none may leave the database's folder.
    guard TimeZoneRules.isName(name) else { throw .unknownZone(name) }
    do {
      return try Self.parse(name: name, try SourceFiles.bytes(of: "\(folder)/\(name)", limit: 1 << 20))
    } catch .system(_, let reason) where [ENOENT, ENOTDIR, EISDIR].contains(reason) {
      guard name == TimeZoneRules.utc.name else { throw .unknownZone(name) }
      return .utc
    } catch {
      throw error
    }
  }

  private static func parse(name: String, _ bytes: [UInt8]) throws(PlatformError) -> TimeZoneRules {
    do {
      return try TimeZoneRules(name: name, tzif: bytes)
    } catch {
      throw .brokenZone(name, why: error.reason)
    }
  }
}
