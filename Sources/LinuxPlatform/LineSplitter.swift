/// Cuts a stream of bytes into lines of bounded length.
nonisolated struct LineSplitter {
  private let limit: Int
  private var rest: [UInt8] = []

  init(limit: Int) { self.limit = limit }

  /// Passes on each complete line without its newline, and pieces of `limit` bytes of longer ones.
  mutating func feed(_ bytes: UnsafeRawBufferPointer, _ emit: (ArraySlice<UInt8>) -> Void) {
    var bytes = bytes[...]
    while !bytes.isEmpty {
      let room = bytes.prefix(limit - rest.count)
      guard let newline = room.firstIndex(of: UInt8(ascii: "\n")) else {
        rest += room
        bytes = bytes[room.endIndex...]
        // A newline right after a full piece ends that piece, not an empty line after it.
        if rest.count == limit, let next = bytes.first {
          if next == UInt8(ascii: "\n") { bytes = bytes.dropFirst() }
          flush(emit)
        }
        continue
      }
      rest += room[..<newline]
      emit(rest[...])
      rest.removeAll(keepingCapacity: true)
      bytes = bytes[(newline + 1)...]
    }
  }

  /// Passes on what is left: a last line without a newline.
  mutating func flush(_ emit: (ArraySlice<UInt8>) -> Void) {
    guard !rest.isEmpty else { return }
    emit(rest[...])
    rest.removeAll(keepingCapacity: true)
  }
}
