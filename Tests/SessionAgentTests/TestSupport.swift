import AuthModel
import Glibc
import Scheduling

@testable import SessionAgent

/// A folder under /tmp that goes with its owner.
final class TemporaryFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/nightlatch-agent-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw AgentError.system(action: "make", path: "/tmp", code: errno)
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { Self.remove(path) }

  func write(_ name: String, _ text: String, mode: mode_t) throws {
    try write(name, Array(text.utf8), mode: mode)
  }

  func write(_ name: String, _ bytes: [UInt8], mode: mode_t) throws {
    let file = "\(path)/\(name)"
    let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw AgentError.system(action: "write", path: file, code: errno) }
    defer { close(descriptor) }
    fchmod(descriptor, mode)
    let code = bytes.withUnsafeBytes { File.writeAll(descriptor, $0) }
    guard code == 0 else { throw AgentError.system(action: "write", path: file, code: code) }
  }

  func read(_ name: String) throws -> [UInt8]? { try File.read("\(path)/\(name)", limit: 1 << 20) }

  private static func remove(_ path: String) {
    if let folder = opendir(path) {
      while let entry = readdir(folder) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != ".", name != ".." { remove("\(path)/\(name)") }
      }
      closedir(folder)
    }
    Glibc.remove(path)
  }
}

extension Secret {
  var text: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}

extension Moment {
  static func of(_ seconds: Int64, boot: String = "boot-a") -> Moment {
    Moment(
      bootID: BootID(boot),
      now: Now(
        boot: Instant(microseconds: seconds * 1_000_000), wall: WallTime(seconds: 1_800_000_000 + seconds)))
  }

  var now: Now { Now(boot: boot, wall: wall) }
}

extension SessionRecord {
  static func sample(
    generation: UInt64 = 7, refreshToken: String = "refresh-7", obtained: Moment = .of(0),
    lifetime: Duration? = .seconds(300)
  ) -> SessionRecord {
    SessionRecord(
      generation: generation, accessToken: Secret("access-\(generation)"), refreshToken: Secret(refreshToken),
      obtained: obtained, lifetime: lifetime, skew: .seconds(2), isVerified: true, scope: "openid",
      issuer: "https://i",
      user: User(
        id: "alice", name: "Alice", email: "alice@example.com", username: "alice",
        linkedAccounts: [LinkedAccount(kind: "wallet", identifier: "0xA11CE")]),
      authTime: WallTime(seconds: 1_799_999_000))
  }
}
