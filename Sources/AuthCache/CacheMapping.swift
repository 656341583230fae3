import CLinux
import Glibc

/// One auth cache file mapped into memory, shared with every other process that maps it.
///
/// It is mapped only when it is a regular file of at least the full size, and such a file never
/// shrinks, so that reading it raises no SIGBUS.
final class CacheMapping {
  private let words: UnsafeMutablePointer<UInt64>
  let identity: FileIdentity

  deinit { munmap(words, CacheLayout.byteCount) }

  enum Access {
    case read
    case readWrite

    fileprivate var openFlags: Int32 { self == .read ? O_RDONLY : O_RDWR }
    fileprivate var protection: Int32 { self == .read ? PROT_READ : PROT_READ | PROT_WRITE }
  }

  init(_ file: borrowing CacheFileDescriptor, access: Access) throws(FileFailure) {
    var status = stat()
    guard fstat(file.number, &status) == 0 else { throw .last }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size >= CacheLayout.byteCount else { throw .damaged }
    guard
      let address = mmap(nil, CacheLayout.byteCount, access.protection, MAP_SHARED, file.number, 0),
      address != MAP_FAILED
    else { throw .last }
    words = address.assumingMemoryBound(to: UInt64.self)
    identity = FileIdentity(status)
  }

  convenience init(path: String, access: Access) throws(FileFailure) {
    try self.init(CacheFileDescriptor(path: path, flags: access.openFlags), access: access)
  }
}

extension CacheMapping {
  var generationWord: UnsafePointer<UInt64> { UnsafePointer(word(at: CacheLayout.generationOffset)) }

  /// The generation word, and with it everything published before it was stored.
  var generation: UInt64 { nl_load_acquire(generationWord) }

  /// Whether another file has taken this one's place.
  var isRetired: Bool { generation == CacheLayout.retired }

  func load(at offset: Int) -> UInt64 { nl_load_acquire(word(at: offset)) }

  /// A copy of the slot that holds `generation`. It is what was published under that number if the
  /// generation word still has it afterwards; otherwise it may be anything.
  func slot(of generation: UInt64) -> [UInt8] {
    let count = CacheLayout.slotByteCount / MemoryLayout<UInt64>.size
    let copy = [UInt64](unsafeUninitializedCapacity: count) { buffer, initializedCount in
      nl_copy_words_out(buffer.baseAddress, word(at: CacheLayout.slotOffset(of: generation)), count)
      initializedCount = count
    }
    return copy.withUnsafeBytes { Array($0) }
  }

  /// Fills the slot of `generation`, which no reader looks at before ``store(generation:)``.
  func fill(slotOf generation: UInt64, with slot: [UInt8]) {
    slot.withUnsafeBytes { bytes in
      let source = bytes.bindMemory(to: UInt64.self)
      nl_copy_words_in(word(at: CacheLayout.slotOffset(of: generation)), source.baseAddress, source.count)
    }
  }

  func store(generation: UInt64) {
    nl_store_release(word(at: CacheLayout.generationOffset), generation)
  }

  private func word(at offset: Int) -> UnsafeMutablePointer<UInt64> {
    words + offset / MemoryLayout<UInt64>.size
  }
}
