import AuthModel
import Glibc
import JobEngine
import LinuxPlatform
import Scheduling

/// The access token that the foreground agent has published.
enum PublishedToken {
  /// Larger than any token in use.
  private static let limit = 64 * 1024

  /// Reads `tokens/NAME`, and makes sure that it is the token which the snapshot describes: the agent
  /// dates the file with the moment the token was obtained.
  static func read(
    _ token: Launch.Token, _ folders: Folders, _ present: Snapshot.Present?
  ) throws(HandoverError) -> [UInt8] {
    guard let present, present.tokenGeneration == token.generation else {
      throw .outdated(token.provider)
    }
    return try read(token.provider, folders, obtained: present.obtained.wall)
  }

  static func read(
    _ provider: ProviderName, _ folders: Folders, obtained: WallTime
  ) throws(HandoverError) -> [UInt8] {
    let path = "\(folders.tokens)/\(provider)"
    let fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard fd >= 0 else { throw .last("read", path) }
    defer { close(fd) }
    var status = stat()
    guard fstat(fd, &status) == 0 else { throw .last("look at", path) }
    // Opening anything else could wait for somebody, or read what nobody published.
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size > 0, status.st_size <= limit else {
      throw .unusable(path)
    }
    let modified = Int64(status.st_mtim.tv_sec) * 1_000_000 + Int64(status.st_mtim.tv_nsec) / 1_000
    guard modified == obtained.microseconds else { throw .outdated(provider) }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    guard Glibc.read(fd, &bytes, bytes.count) == bytes.count else { throw .last("read", path) }
    return bytes
  }
}

/// Why a run did not get its token.
enum HandoverError: Error, CustomStringConvertible {
  case system(attempt: String, path: String, errno: Int32)
  /// It is not a file, or the file is empty or absurdly large.
  case unusable(String)
  /// The file is of another moment than the snapshot: a phase is just publishing.
  case outdated(ProviderName)
  case platform(PlatformError)

  static func last(_ attempt: String, _ path: String) -> HandoverError {
    .system(attempt: attempt, path: path, errno: Glibc.errno)
  }

  var description: String {
    switch self {
    case .system(let attempt, let path, let errno):
      "cannot \(attempt) '\(path)': \(String(cString: strerror(errno))); the run waits for the next token"
    case .unusable(let path):
      "cannot use the token in '\(path)': it is no regular file, empty or too large; the run waits for the next token"
    case .outdated(let provider):
      "the published token of \(provider) is not the one that the auth cache describes; the run waits for the next token"
    case .platform(let error): error.description
    }
  }
}
