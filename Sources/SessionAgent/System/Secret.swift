import CSodium

/// Bytes that must leave no trace: tokens, keys, and the requests and answers that carry them.
///
/// They live in guarded memory that is locked where the kernel allows it and wiped when freed.
/// Nothing prints them.
public final class Secret {
  private var memory: UnsafeMutableRawPointer
  private var capacity: Int
  public private(set) var count = 0

  public init(capacity: Int = 512) {
    self.capacity = max(capacity, 16)
    memory = Self.allocate(self.capacity)
  }

  public convenience init(_ bytes: UnsafeRawBufferPointer) {
    self.init(capacity: bytes.count)
    append(bytes)
  }

  public convenience init(_ text: String) {
    self.init(capacity: text.utf8.count)
    append(text)
  }

  /// Bytes nobody can guess.
  public static func random(count: Int) -> Secret {
    let secret = Secret(capacity: count)
    randombytes_buf(secret.memory, count)
    secret.count = count
    return secret
  }

  deinit { sodium_free(memory) }

  public func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
    reserve(count + bytes.count)
    (memory + count).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
  }

  public func append(_ byte: UInt8) {
    reserve(count + 1)
    memory.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
  }

  public func append(_ text: String) {
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }

  public func append(_ other: Secret) {
    other.withBytes { append($0) }
  }

  public func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: memory, count: count))
  }

  /// As C libraries want to see them.
  func withPointer<Result>(_ body: (UnsafePointer<UInt8>, Int) -> Result) -> Result {
    body(UnsafeRawPointer(memory).assumingMemoryBound(to: UInt8.self), count)
  }

  /// Whether both hold the same bytes; compared in constant time.
  public func equals(_ other: Secret) -> Bool {
    count == other.count && sodium_memcmp(memory, other.memory, count) == 0
  }

  /// Grows by doubling; the outgrown memory is wiped.
  private func reserve(_ wanted: Int) {
    guard wanted > capacity else { return }
    let grown = max(wanted, capacity * 2)
    let larger = Self.allocate(grown)
    larger.copyMemory(from: memory, byteCount: count)
    sodium_free(memory)
    memory = larger
    capacity = grown
  }

  private static func allocate(_ size: Int) -> UnsafeMutableRawPointer {
    // There is nothing safe to do with a secret that has no place to be.
    guard Sodium.isReady, let memory = sodium_malloc(size) else {
      fatalError("no guarded memory for a secret of \(size) bytes")
    }
    return memory
  }
}

enum Sodium {
  /// libsodium must be initialised before anything else of it is used.
  static let isReady = sodium_init() >= 0
}
