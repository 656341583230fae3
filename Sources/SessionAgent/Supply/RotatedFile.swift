import AuthModel
import Glibc
import Scheduling

/// A token file that another program rotates (`kind = "static"`), such as a workload identity token.
struct RotatedFile {
  static let limit = 64 << 10

  let path: String
  /// For tokens that do not say themselves when they expire: counted from the file's modification.
  let lifetime: Duration?

  /// Never throws: a file that is not there yet, or is being written, is there later.
  func supply(at now: WallTime) -> Supply {
    let content: Secret
    do {
      guard let read = try File.readSecret(path, limit: Self.limit, isPrivate: false) else {
        return Supply(verdict: .transient, detail: "\(path) does not exist yet")
      }
      content = read.withoutTrailingNewline
    } catch {
      return Supply(verdict: .configuration, detail: error.description)
    }
    guard content.isVisibleASCII else {
      return Supply(verdict: .transient, detail: "\(path) does not hold one token on one line")
    }
    let left =
      TokenExpiry.hint(in: content).map { $0 - now }
      ?? modificationTime.flatMap { modified in
        lifetime.map { modified + $0 - now }
      }
    if let left, left <= .zero {
      return Supply(
        verdict: .transient,
        detail: "the token in \(path) expired \(-left.components.seconds) s ago, and nobody has rotated it")
    }
    return Supply(
      verdict: .success, answer: TokenAnswer(accessToken: content, lifetime: left),
      detail: "read from \(path)")
  }

  private var modificationTime: WallTime? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return WallTime(seconds: Int64(status.st_mtim.tv_sec))
  }
}
