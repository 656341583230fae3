import Glibc

/// A null-terminated array of C strings for execve(2), freed with its owner.
nonisolated struct CStringArray: ~Copyable {
  private let strings: UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>

  /// `what` names the strings in the error: C ends a string at its first zero byte.
  init(_ texts: [String], what: String) throws(PlatformError) {
    guard !texts.contains(where: { $0.utf8.contains(0) }) else {
      throw .unrepresentable(what: what, why: "it contains a zero byte")
    }
    strings = .allocate(capacity: texts.count + 1)
    strings.initialize(repeating: nil)
    for (index, text) in texts.enumerated() { strings[index] = strdup(text) }
  }

  func with<Result>(
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result? {
    strings.baseAddress.map(body)
  }

  deinit {
    for string in strings { free(string) }
    strings.deallocate()
  }
}
