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
/// snapshot: call ``reopenIfReplaced()`` when a watch on the file reports `IN_ATTRIB`, or one on its
/// folder `IN_DELETE` or `IN_MOVED_TO`. (`IN_DELETE_SELF` comes only once nobody maps the file any more.)
///
/// One reader belongs to one task or thread.
public final class AuthCacheReader {
  public let path: String

  private var finding = AuthCacheFinding(.notReady(.noSnapshot), in: BootID(""))

  /// Opens nothing yet: the file may come later.
  public init(path: String) { self.path = path }

  public convenience init(_ file: AuthCacheFile) { self.init(path: file.path) }

  /// The newest published snapshot, or why there is none.
  public func read() -> SnapshotReading { newestFinding.reading }

  /// The auth state at `now`, from the newest published snapshot.
  public func authState(at now: Now, in bootID: BootID) -> AuthState {
    authState(boot: now.boot, wall: now.wall, in: bootID)
  }

  /// The auth state, looking at the wall clock only if the answer depends on it.
  public func authState(
    boot: Instant, wall: @autoclosure () -> WallTime, in bootID: BootID
  ) -> AuthState {
    // The object is not counted in the hot path: nothing can replace it meanwhile.
    let known = Unmanaged.passUnretained(finding)._withUnsafeGuaranteedRef { finding in
      finding.isNewest && finding.bootID == bootID ? finding.authState(boot: boot, wall: wall()) : nil
    }
    return known ?? newAuthState(boot: boot, wall: wall(), in: bootID)
  }

  private func newAuthState(
    boot: Instant, wall: @autoclosure () -> WallTime, in bootID: BootID
  ) -> AuthState {
    var newest = newestFinding
    if newest.bootID != bootID {
      newest = AuthCacheFinding(newest.reading, from: newest.mapping, in: bootID)
      finding = newest
    }
    return newest.authState(boot: boot, wall: wall())
  }

  /// Looks the path up again and maps what is there now.
  public func reopen() {
    do throws(FileFailure) {
      find(in: try CacheMapping(path: path, access: .read))
    } catch {
      finding = AuthCacheFinding(.notReady(error.reason), in: finding.bootID)
    }
  }

  /// Looks up whether the path still leads to the mapped file (one system call), and maps what is
  /// there if it does not.
  public func reopenIfReplaced() {
    if let identity = finding.mapping?.identity, identity == FileIdentity(path: path) { return }
    reopen()
  }
}

extension AuthCacheReader {
  private var newestFinding: AuthCacheFinding {
    let known = finding
    if known.isNewest { return known }
    refresh()
    return finding
  }

  private func refresh() {
    guard let mapping = finding.mapping, !mapping.isRetired else { return reopen() }
    find(in: mapping)
    if case .notReady = finding.reading { reopenIfReplaced() }
  }

  private func find(in mapping: CacheMapping) {
    finding = AuthCacheFinding(mapping.newest(), from: mapping, in: finding.bootID)
  }
}
