public import AuthModel
public import Scheduling

/// Reads one provider's auth cache: never waits for anybody, takes no lock, makes no request.
///
/// While the generation is unchanged a read is one acquire load. A new generation costs a copy and a
/// decoding. System calls are made only while there is nothing valid to read: then each ``read()``
/// tries to open the file, which is how a reader that was there first finds it.
///
/// The writer replaces a file only when it is damaged or of another version, and then retires the
/// old one in place, which a reader notices by itself. When something else has removed the file
/// (its folder was cleared, the user's runtime folder ended), the old mapping keeps its last
/// snapshot: call ``reopen()`` when a watch on the file reports `IN_DELETE_SELF` or on its folder
/// `IN_CREATE` or `IN_MOVED_TO`, or ``reopenIfReplaced()`` at any time.
///
/// One reader belongs to one task or thread.
public final class AuthCacheReader {
  public let path: String

  private var mapping: CacheMapping?
  /// The generation that ``reading`` holds; nil when that is no snapshot.
  private var decodedGeneration: UInt64?
  private var reading = SnapshotReading.notReady(.noSnapshot)

  /// Opens nothing yet: the file may come later.
  public init(path: String) { self.path = path }

  public convenience init(_ file: AuthCacheFile) { self.init(path: file.path) }

  /// The newest published snapshot, or why there is none.
  public func read() -> SnapshotReading {
    refresh()
    return reading
  }

  /// The auth state at `now`, from the newest published snapshot.
  public func authState(at now: Now, in bootID: BootID) -> AuthState {
    refresh()
    return reading.authState(at: now, in: bootID)
  }

  /// Looks the path up again and maps what is there now.
  public func reopen() {
    do throws(FileFailure) {
      mapping = try CacheMapping(path: path, access: .read)
      decodeNewest()
    } catch {
      mapping = nil
      reading = .notReady(error.reason)
      decodedGeneration = nil
    }
  }

  /// Looks up whether the path still leads to the mapped file (one system call), and maps what is
  /// there if it does not.
  public func reopenIfReplaced() {
    if let identity = mapping?.identity, identity == FileIdentity(path: path) { return }
    reopen()
  }
}

extension AuthCacheReader {
  @inline(__always) private func refresh() {
    if let generation = mapping?.generation, generation == decodedGeneration { return }
    refreshSlowly()
  }

  @inline(never) private func refreshSlowly() {
    guard let generation = mapping?.generation, generation != CacheLayout.retired else { return reopen() }
    decodeNewest()
    if case .notReady = reading { reopenIfReplaced() }
  }

  private func decodeNewest() {
    reading = mapping?.newest() ?? .notReady(.noSnapshot)
    decodedGeneration = reading.snapshot?.generation
  }
}
