import AuthModel
import Glibc

/// A second place for a new token pair that the disk does not take: the runtime folder, which is in memory.
///
/// The refresh token has been rotated, so the pair is the only copy of the session. It is sealed like the
/// store. A process that is told to stop can leave it there, and the next one puts it into the store before
/// it does anything else. A reboot forgets it: then the answer counts as lost.
extension SealedStore {
  /// What the rescued copy holds, if it is newer than the store; nil if there is none.
  ///
  /// A store that can't be read is left as it is: the copy is no remedy for a wrong key.
  var rescued: (session: SessionRecord, bytes: [UInt8])? {
    guard let rescuePath,
      let bytes = (try? File.read(rescuePath, limit: Self.sizeLimit, isPrivate: true)) ?? nil,
      case .present(let record) = open(bytes, with: (try? keys()) ?? [])
    else { return nil }
    let stored = loadFromDisk()
    if case .unreadable = stored { return nil }
    return record.generation > stored.generation ? (record, bytes) : nil
  }

  /// Keeps sealed bytes in memory; says whether it could.
  func rescue(_ bytes: [UInt8]) -> Bool {
    guard let rescuePath, let slash = rescuePath.lastIndex(of: "/") else { return false }
    do {
      try File.makeFolder(String(rescuePath[..<slash]))
      try ReservedFile(replacing: rescuePath, size: bytes.count).commit(bytes)
      return true
    } catch {
      return false
    }
  }

  /// Puts a rescued pair where it belongs; says whether there was one. The caller holds the lock.
  ///
  /// - Throws: if the disk still does not take it. Nothing may be spent then.
  func adoptRescued() throws(AgentError) -> Bool {
    guard let rescued else { return false }
    try reserve().commit(rescued.bytes)
    dropRescued()
    return true
  }

  func dropRescued() {
    if let rescuePath { unlink(rescuePath) }
  }
}
