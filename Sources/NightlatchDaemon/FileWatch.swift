import LinuxPlatform

/// Tells when one of a few files is created, replaced, removed or touched: a zone's rules by an update of tzdata,
/// `/etc/localtime` by timedatectl(1), a token by whoever rotates it.
final class FileWatch {
  private var names: [String: Set<String>] = [:]
  private var watches: [String: DirectoryWatch] = [:]
  /// Whether it was told that some can't be watched, and that is still so.
  private var isFailing = false
  private let onFailure: (PlatformError) -> Void
  private let onChange: () -> Void

  /// `onFailure` is called once when some files can't be watched, and again only when all could be in between.
  init(onFailure: @escaping (PlatformError) -> Void, onChange: @escaping () -> Void) {
    self.onFailure = onFailure
    self.onChange = onChange
  }

  /// Watches these files, as ``FilePath/lookups(of:)`` names them, and no others. Those of a folder that can't be
  /// watched are tried again each time.
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
    watchFolders()
    return names.contains { folder, names in !names.isSubset(of: before[folder] ?? []) }
  }

  private func watchFolders() {
    var failure: PlatformError?
    for folder in names.keys.sorted() where watches[folder] == nil {
      do {
        watches[folder] = try DirectoryWatch(folder: folder) { [weak self] change in
          self?.changed(change, in: folder)
        }
      } catch { failure = failure ?? error }
    }
    if let failure, !isFailing { onFailure(failure) }
    isFailing = failure != nil
  }

  private func changed(_ change: DirectoryWatch.Change, in folder: String) {
    if names[folder]?.contains(where: { change.mayConcern($0) }) == true { onChange() }
  }
}
