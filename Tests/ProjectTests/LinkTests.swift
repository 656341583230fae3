import FoundationEssentials
import Glibc
import Testing

/// What the release build of the daemon drags into its process.
struct LinkTests {
  private static let daemon = SourceTree.root + "/.build/release/nightlatchd"

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: daemon), "needs the release build: make release"))
  func `the daemon links no HTTP client, no cryptography and no Foundation`() throws {
    let libraries = try Self.linked(by: Self.daemon)
    #expect(libraries.contains { $0.hasPrefix("libc.so") }, "ldd printed \(libraries)")
    for name in ["libcurl", "libsodium", "libcjose", "libssl", "libFoundation", "lib_Foundation", "libswift"]
    {
      #expect(!libraries.contains { $0.hasPrefix(name) }, "nightlatchd links \(name)")
    }
  }

  /// The names of the shared libraries that the dynamic loader would load, the indirect ones included.
  private static func linked(by program: String) throws -> [String] {
    let pipe = try #require(popen("ldd '\(program)'", "r"))
    defer { pclose(pipe) }
    var text: [UInt8] = []
    while case let byte = fgetc(pipe), byte != EOF { text.append(UInt8(truncatingIfNeeded: byte)) }
    return String(decoding: text, as: UTF8.self).split(separator: "\n")
      .compactMap { $0.split(whereSeparator: \.isWhitespace).first.map(String.init) }
  }
}
