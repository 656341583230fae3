import LinuxPlatform

/// Tells when one of a few files is created, replaced, removed or touched: a zone's rules by an update of tzdata,
/// `/etc/localtime` by timedatectl(1), a token by whoever rotates it.
final class FileWatch {
  private var names: [String: Set<String>] = [:]
  private var watches: [String: DirectoryWatch] = [:]
  private let onChange: () -> Void

  init(onChange: @escaping () -> Void) { self.onChange = onChange }

  /// Watches these files, as ``FilePath/lookups(of:)`` names them, and no others. Those of a folder that can't be
  /// watched are not.
  ///
  /// - Returns: whether some are watched only from now on, and may have changed just before.
  func follow(_ files: Set<String>) -> Bool {
    let before = names
    names = [:]
    for file in files {
      guard let slash = file.lastIndex(of: "/") else { continue }
      let folder = slash == file.startIndex ? "/" : String(file[..<slash])
      names[folder, default: []].insert(String(file[file.index(after: slash)...]))
    }
    for folder in watches.keys where names[folder] == nil { watches.removeValue(forKey: folder)?.cancel() }
    for folder in names.keys where watches[folder] == nil {
      watches[folder] = try? DirectoryWatch(folder: folder) { [weak self] change in
        self?.changed(change, in: folder)
      }
    }
    return names.contains { folder, names in !names.isSubset(of: before[folder] ?? []) }
  }

  private func changed(_ change: DirectoryWatch.Change, in folder: String) {
    if names[folder]?.contains(where: { change.mayConcern($0) }) == true { onChange() }
  }
}
