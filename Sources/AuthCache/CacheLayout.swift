import AuthModel

/// The auth cache file, described in docs/auth-cache.md: two pages, 8192 bytes.
///
/// The generation word is the whole protocol. It is the generation of the last published snapshot,
/// and its lowest bit names the slot that holds it. A writer fills the other slot and then stores
/// the next generation, so whatever a killed writer leaves half done is where no reader looks.
enum CacheLayout {
  static let byteCount = 8192
  /// "NLAUTH" and two zero bytes.
  static let magic: UInt64 = 0x0000_4854_5541_4c4e
  static let version: UInt64 = 2

  /// Offsets in bytes, each a multiple of eight. The generation word has a cache line to itself.
  static let magicOffset = 0
  static let versionOffset = 8
  static let generationOffset = 64
  static let firstSlotOffset = 128
  static let slotByteCount = 4032

  /// Nothing has been published. Never left in a file by the writer, which creates a file together
  /// with its first snapshot.
  static let unpublished: UInt64 = 0
  /// Stored in a file that another one has replaced: readers must open the path again.
  static let retired = UInt64.max
  /// A generation beyond this is damage: no machine publishes so often.
  static let lastGeneration = UInt64.max / 2

  static func slotOffset(of generation: UInt64) -> Int {
    firstSlotOffset + Int(generation & 1) * slotByteCount
  }

  /// The content of a slot that holds `snapshot`.
  static func slot(holding snapshot: Snapshot) -> [UInt8] {
    let bytes = SnapshotEncoding.encode(snapshot)
    return bytes + [UInt8](repeating: 0, count: slotByteCount - bytes.count)
  }

  /// The content of a new file that holds `snapshot`.
  static func file(holding snapshot: Snapshot) -> [UInt8] {
    var file = [UInt8](repeating: 0, count: byteCount)
    func put(_ bytes: [UInt8], at offset: Int) {
      file.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }
    put(bytes(of: magic), at: magicOffset)
    put(bytes(of: version), at: versionOffset)
    put(bytes(of: snapshot.generation), at: generationOffset)
    put(slot(holding: snapshot), at: slotOffset(of: snapshot.generation))
    return file
  }

  /// The machine's own byte order: the file never leaves it.
  private static func bytes(of word: UInt64) -> [UInt8] {
    withUnsafeBytes(of: word) { Array($0) }
  }
}
