import CSodium
import Glibc

/// Which machine this is: a hash of machine-id(5), which itself is nobody's business.
///
/// A machine that has no identity, as many containers, has ``unknown``.
struct MachineIdentity: Hashable, Sendable {
  static let length = 16
  static let unknown = MachineIdentity(bytes: [UInt8](repeating: 0, count: length))

  let bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// - Parameter path: of the file with 32 hexadecimal digits; anything else in it is no identity.
  init(of path: String) throws(AgentError) {
    let bytes = try File.read(path, limit: 4096) ?? []
    let digits = Array(bytes.prefix { isxdigit(Int32($0)) != 0 })
    guard digits.count == 32 else {
      self = .unknown
      return
    }
    var hash = [UInt8](repeating: 0, count: Self.length)
    let context = Array("nightlatch machine identity".utf8)
    _ = crypto_generichash(
      &hash, hash.count, digits, UInt64(digits.count), context, context.count)
    self.init(bytes: hash)
  }
}
