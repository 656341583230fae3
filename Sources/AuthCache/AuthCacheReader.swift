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
  /// The running boot, which decides what a session seen in another one is worth.
  public let bootID: BootID

  private var finding: AuthCacheFinding

  /// Opens nothing yet: the file may come later.
  public init(path: String, in bootID: BootID) {
    self.path = path
    self.bootID = bootID
    finding = AuthCacheFinding(.notReady(.noSnapshot), in: bootID)
  }

  public convenience init(_ file: AuthCacheFile, in bootID: BootID) { self.init(path: file.path, in: bootID) }

  /// The newest published snapshot, or why there is none.
  public func read() -> SnapshotReading {
    if !isUpToDate { refresh() }
    return finding.reading
  }

  /// The auth state at `now`, from the newest published snapshot.
  public func authState(at now: Now) -> AuthState { authState(boot: now.boot, wall: now.wall) }

  /// The auth state, looking at the wall clock only if the answer depends on it.
  public func authState(boot: Instant, wall: @autoclosure () -> WallTime) -> AuthState {
    if !isUpToDate { refresh() }
    return withFinding { $0.authState(boot: boot, wall: wall()) }
  }

  /// Looks the path up again and maps what is there now.
  public func reopen() {
    do throws(FileFailure) {
      find(in: try CacheMapping(path: path, access: .read))
    } catch {
      finding = AuthCacheFinding(.notReady(error.reason), in: bootID)
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
  private var isUpToDate: Bool { withFinding { $0.isNewest } }

  /// The object is not counted in the hot path: `body` doesn't replace it.
  private func withFinding<Result>(_ body: (AuthCacheFinding) -> Result) -> Result {
    Unmanaged.passUnretained(finding)._withUnsafeGuaranteedRef(body)
  }

  private func refresh() {
    guard let mapping = finding.mapping, !mapping.isRetired else { return reopen() }
    find(in: mapping)
    if case .notReady = finding.reading { reopenIfReplaced() }
  }

  private func find(in mapping: CacheMapping) {
    finding = AuthCacheFinding(mapping.newest(), from: mapping, in: bootID)
  }
}
