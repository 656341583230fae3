import AuthModel

extension CacheMapping {
  /// How often a snapshot is copied that is overwritten meanwhile. A writer spoils a copy only by
  /// publishing while it is made; a file in which that never ends is not written by the agent.
  private static let attempts = 64

  /// The newest published snapshot. Bounded: it waits for no writer, living or dead.
  func newest() -> SnapshotReading {
    if let defect = headerDefect { return .notReady(defect) }
    for _ in 0..<Self.attempts {
      if let reading = reading(of: generation) { return reading }
    }
    return .notReady(.damagedSnapshot)
  }

  /// Nil when the file is one of ours and of this version.
  private var headerDefect: NotReadyReason? {
    guard load(at: CacheLayout.magicOffset) == CacheLayout.magic else { return .damagedSnapshot }
    return load(at: CacheLayout.versionOffset) == CacheLayout.version ? nil : .unknownVersion
  }

  /// What was published as `generation`; nil when a later publication came during the copy.
  private func reading(of generation: UInt64) -> SnapshotReading? {
    if generation == CacheLayout.unpublished { return .notReady(.noSnapshot) }
    guard generation <= CacheLayout.lastGeneration else { return .notReady(.damagedSnapshot) }
    let slot = slot(of: generation)
    guard self.generation == generation else { return nil }
    let reading = SnapshotEncoding.decode(slot)
    if let snapshot = reading.snapshot, snapshot.generation != generation {
      return .notReady(.damagedSnapshot)
    }
    return reading
  }
}
