/// A configuration file as the shell found it. Reading it is the shell's task, judging it is ours.
public struct SourceFile: Hashable, Sendable {
  /// As diagnostics should print it.
  public var path: String
  public var content: Content

  public enum Content: Hashable, Sendable {
    /// Its bytes; whether they are UTF-8 and TOML is found out here.
    case bytes([UInt8])
    /// It is there but could not be read; the phrase says why, such as "Permission denied".
    case unreadable(reason: String)
    /// It is a folder that could not be listed: nobody knows which files are there. A file in one of `earlier`
    /// hides its namesake there.
    case unlisted(reason: String, earlier: [String])
  }

  public init(path: String, text: String) {
    self.init(path: path, bytes: Array(text.utf8))
  }

  public init(path: String, bytes: [UInt8]) {
    self.path = path
    self.content = .bytes(bytes)
  }

  public init(path: String, unreadable reason: String) {
    self.path = path
    self.content = .unreadable(reason: reason)
  }

  /// - Parameter folders: all that are read for files of this kind, the one that hides the others first.
  public init(folder: String, unlisted reason: String, among folders: [String]) {
    self.path = folder
    self.content = .unlisted(reason: reason, earlier: Array(folders.prefix { $0 != folder }))
  }

  /// Whether it is in this folder, if it is there at all.
  static func isFile(_ path: String, in folder: String) -> Bool { path.hasPrefix(folder + "/") }

  /// The file's name without folder and without `.toml`: a job's or provider's identifier.
  public var identifier: String {
    let name = path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
    return String(name.hasSuffix(".toml") ? name.dropLast(5) : name)
  }

  /// What a file is by its place; nil when that does not tell.
  public var role: Role? {
    let parts = path.split(separator: "/")
    if parts.last == "nightlatch.toml" { return .settings }
    switch parts.dropLast().last {
    case "jobs.d": return .job
    case "providers.d": return .provider
    default: return nil
    }
  }

  public enum Role: Hashable, Sendable, CaseIterable {
    case settings, job, provider
  }

  /// Whether a file of this name can be a job or a provider: 1 to 200 letters, digits, `.`, `-` and
  /// `_` of ASCII, the first a letter or a digit. Identifiers become file, unit and journal field values.
  public static func isValid(identifier: String) -> Bool {
    guard let first = identifier.utf8.first, identifier.utf8.count <= 200 else { return false }
    let isAlphanumeric = { (byte: UInt8) in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"):
        true
      default: false
      }
    }
    return isAlphanumeric(first)
      && identifier.utf8.allSatisfy { isAlphanumeric($0) || ".-_".utf8.contains($0) }
  }
}
