import Glibc
import Scheduling

@testable import AuthCache
@testable import AuthModel

extension Harness {
  static let authentication = [snapshot, authCache, attempts]

  /// The tool prints what it finds there.
  private static let attempts = Harness("attempts") { bytes in
    let history = AttemptHistory(text: String(input: bytes))
    try expect(history.entries.count <= AttemptHistory.limit, "no more than there is room for")
    try expect(AttemptHistory(text: history.text), equals: history, "what is written is what is read")
  }

  /// Without the checksum, which would turn every input away, and in any state of the clocks.
  private static let snapshot = Harness("snapshot") { bytes in
    let image = intactImage(bytes)
    guard case .snapshot(let snapshot) = SnapshotEncoding.decode(image) else { return }
    if AttemptClass(rawValue: image[SnapshotEncoding.Offset.outcome]) != nil {
      try expect(SnapshotEncoding.encode(snapshot), equals: image, "one snapshot has one encoding")
    } else {
      try expect(snapshot.lastAttempt == nil, "an attempt of an unknown outcome is left out")
    }
    for time in [Int64.min, 0, 1_000_000, .max] {
      let now = Now(boot: Instant(microseconds: time), wall: WallTime(microseconds: time))
      let reading = SnapshotReading.snapshot(snapshot)
      let forecast = snapshot.authStateForecast(in: snapshot.published.bootID)
      try expect(
        reading.authState(at: now, in: snapshot.published.bootID),
        equals: forecast.state(boot: now.boot, wall: now.wall), "the forecast is the state")
    }
  }

  private static func intactImage(_ bytes: [UInt8]) -> [UInt8] {
    var image = SnapshotImage()
    for (offset, byte) in zip(image.bytes.indices, bytes) { image.put(byte, at: offset) }
    image.put(SnapshotEncoding.magic, at: SnapshotEncoding.Offset.magic)
    image.put(SnapshotEncoding.version, at: SnapshotEncoding.Offset.version)
    image.put(UInt32(SnapshotEncoding.byteCount), at: SnapshotEncoding.Offset.length)
    image.put(image.checksum, at: SnapshotEncoding.Offset.checksum)
    return image.bytes
  }

  /// The mapped file as anybody might have left it: the input is its beginning, holes are zero.
  private static let authCache = Harness("auth-cache") { bytes in
    var path = Array("/tmp/nightlatch-fuzz-XXXXXX".utf8CString)
    let file = mkstemp(&path)
    defer {
      close(file)
      unlink(path)
    }
    let beginning = Array(bytes.prefix(2 * CacheLayout.byteCount))
    guard write(file, beginning, beginning.count) == beginning.count else { return }
    ftruncate(file, off_t(max(beginning.count, CacheLayout.byteCount)))
    let reader = AuthCacheReader(
      path: String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self), in: BootID(""))
    guard case .snapshot(let snapshot) = reader.read() else { return }
    try expect(reader.read().snapshot, equals: snapshot, "reading twice finds the same")
    try expect(1...CacheLayout.lastGeneration ~= snapshot.generation, "a generation that was published")
  }
}
