import AuthCache
import AuthModel
import LinuxPlatform
import Scheduling

/// The auth cache of every provider, read through mappings that stay open.
///
/// A look at an unchanged snapshot costs one load from memory, so the daemon looks before each turn; the
/// folder's watch only makes sure that there is a turn.
final class AuthWatch {
  private let folder: String
  private let bootID: BootID
  private var readers: [ProviderName: AuthCacheReader] = [:]
  private var last: [ProviderName: SnapshotReading] = [:]

  init(folders: Folders, bootID: BootID) {
    folder = folders.runtime
    self.bootID = bootID
  }

  var providers: [ProviderName] = [] {
    didSet {
      for name in providers where readers[name] == nil {
        // Names come from files whose identifiers were checked: none is refused here.
        readers[name] = (try? AuthCacheFile(of: name, inRuntimeFolder: folder))
          .map { AuthCacheReader($0, in: bootID) }
      }
      for name in Array(readers.keys) where !providers.contains(name) {
        readers[name] = nil
        last[name] = nil
      }
    }
  }

  /// Opens every file again and reads it.
  func readAll() -> [ProviderName: SnapshotReading] {
    for (name, reader) in readers {
      reader.reopenIfReplaced()
      last[name] = reader.read()
    }
    return last
  }

  /// One provider's snapshot, whatever happened to its file.
  func reread(_ name: ProviderName) -> SnapshotReading? {
    guard let reader = readers[name] else { return nil }
    reader.reopenIfReplaced()
    last[name] = reader.read()
    return last[name]
  }

  func reopen() {
    for reader in readers.values { reader.reopenIfReplaced() }
  }

  /// The snapshots that have changed since the last look.
  func changes() -> [(ProviderName, SnapshotReading)] {
    var changes: [(ProviderName, SnapshotReading)] = []
    for (name, reader) in readers {
      let reading = reader.read()
      guard reading != last[name] else { continue }
      last[name] = reading
      changes.append((name, reading))
    }
    return changes
  }

  /// The session as it was last read.
  func present(_ name: ProviderName) -> Snapshot.Present? {
    guard case .snapshot(let snapshot) = last[name], case .present(let present) = snapshot.session else {
      return nil
    }
    return present
  }
}
