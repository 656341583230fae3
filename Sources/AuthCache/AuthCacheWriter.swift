public import AuthModel
import Glibc

/// Publishes one provider's snapshots. Only the foreground agent has one, while it holds the
/// provider's lock; two writers at once would spoil each other's slots.
///
/// A publication fills the slot that nobody reads, then stores the generation, then touches the file:
/// a store through a mapping is invisible to inotify, a change of times is an `IN_ATTRIB`. Killed
/// anywhere in between, it leaves the previous snapshot or the new one, whole.
///
/// A missing file is created together with its first snapshot, under another name, and renamed. An
/// intact file is never replaced and no file is ever truncated, so readers keep their mapping. A
/// damaged file, or one of another version, is replaced at the next publication, and then marked as
/// retired for those who still have it mapped.
public final class AuthCacheWriter {
  public let file: AuthCacheFile
  /// What readers find: the last publication, by whichever process.
  public private(set) var newest: SnapshotReading

  private var mapping: CacheMapping?
  private var lastGeneration: UInt64

  /// Opens the file if there is one, and gives it the mode and group it should have. Its folder must
  /// exist.
  public init(_ file: AuthCacheFile) throws(AuthCacheError) {
    self.file = file
    newest = .notReady(.noSnapshot)
    lastGeneration = CacheLayout.unpublished
    do throws(FileFailure) {
      let descriptor = try CacheFileDescriptor(path: file.path, flags: O_RDWR)
      let mapping = try CacheMapping(descriptor, access: .readWrite)
      try descriptor.setAccess(of: file)
      newest = mapping.newest()
      lastGeneration = mapping.generation < CacheLayout.lastGeneration ? mapping.generation : 0
      self.mapping = mapping
    } catch {
      newest = .notReady(error.reason)
      if case .system(let code) = error, !error.isMissing { throw .unreadable(path: file.path, code: code) }
    }
  }

  /// Publishes `snapshot` under the next generation number, whatever number it comes with.
  ///
  /// Numbers go up by one and begin anew only with the file, that is with the boot.
  /// - Returns: the snapshot as published.
  @discardableResult
  public func publish(_ snapshot: Snapshot) throws(AuthCacheError) -> Snapshot {
    var published = snapshot
    published.generation = lastGeneration + 1
    if isIntact { fill(with: published) } else { try replaceFile(with: published) }
    lastGeneration = published.generation
    newest = .snapshot(published)
    try touch()
    return published
  }
}

extension AuthCacheWriter {
  /// Whether the mapped file is whole and still the one that readers find.
  private var isIntact: Bool {
    guard let identity = mapping?.identity, newest.snapshot != nil else { return false }
    return identity == FileIdentity(path: file.path)
  }

  private func fill(with snapshot: Snapshot) {
    mapping?.fill(slotOf: snapshot.generation, with: CacheLayout.slot(holding: snapshot))
    mapping?.store(generation: snapshot.generation)
  }

  private func touch() throws(AuthCacheError) {
    guard utimensat(AT_FDCWD, file.path, nil, AT_SYMLINK_NOFOLLOW) == 0 else {
      throw .unannounced(path: file.path, code: errno)
    }
  }

  private func replaceFile(with snapshot: Snapshot) throws(AuthCacheError) {
    let replacement = try CacheMapping.create(file, holding: snapshot)
    // A word that is zero may lie in a hole, where a store can fail for lack of space.
    if let generation = mapping?.generation, generation != CacheLayout.unpublished {
      mapping?.store(generation: CacheLayout.retired)
    }
    mapping = replacement
  }
}
