import Glibc

/// What decides which file a path leads to.
public nonisolated enum FilePath {
  /// As many links as the kernel follows (path_resolution(7)).
  private static let linkLimit = 40

  /// The folder entries that have to be watched to know when a path leads to another file: each symbolic link on
  /// the way, and the file itself, whether or not it is there. No part of their own paths before the last is a
  /// link, so that a folder that takes another's place has another name.
  ///
  /// Folders that are no links are not watched: whoever replaces a file does not rename those above it.
  public static func lookups(of path: String) -> Set<String> {
    var lookups: Set<String> = []
    var links = 0
    var folder = ""
    var rest = names(in: path)
    while let name = rest.popLast() {
      if name == ".." {
        folder = String(folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)])
        continue
      }
      let entry = "\(folder)/\(name)"
      if links < linkLimit, let target = target(of: entry) {
        links += 1
        lookups.insert(entry)
        if target.hasPrefix("/") { folder = "" }
        rest += names(in: target)
      } else if rest.isEmpty {
        lookups.insert(entry)
      } else {
        folder = entry
      }
    }
    return lookups
  }

  /// Last one first.
  private static func names(in path: String) -> [Substring] {
    path.split(separator: "/").filter { $0 != "." }.reversed()
  }

  /// What a symbolic link says; nil for anything else.
  private static func target(of path: String) -> String? {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &target, target.count)
    guard count > 0 else { return nil }
    return String(decoding: target[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
