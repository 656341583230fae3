import LinuxPlatform

/// Tells when a file of a zone in use is replaced, removed or comes back: an update of tzdata, or timedatectl(1),
/// which puts another link in the place of `/etc/localtime` (localtime(5)).
final class ZoneWatch {
  private var names: [String: Set<String>] = [:]
  private var watches: [String: DirectoryWatch] = [:]
  private let onChange: () -> Void

  init(onChange: @escaping () -> Void) { self.onChange = onChange }

  /// Watches these files and no others. A folder that can't be watched is read again by a reload only.
  ///
  /// - Returns: whether some are watched only from now on, and may have changed just before.
  func follow(_ files: Set<String>) -> Bool {
    let before = names
    names = [:]
    for file in files {
      guard let slash = file.lastIndex(of: "/") else { continue }
      names[String(file[..<slash]), default: []].insert(String(file[file.index(after: slash)...]))
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
