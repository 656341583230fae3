import AuthModel
import Glibc
import LinuxPlatform
import Scheduling

/// When each hook was last started: the times of empty files in `STATE/hooks`, so that a daemon which is
/// restarted over and over still sends one message and not a hundred.
final class HookStamps {
  /// At most one start in so long for each provider and hook.
  static let interval = Duration.seconds(15 * 60)

  private let folder: String
  /// For as long as this daemon lives it needs no file, and no clock that can be set.
  private var own: [String: Instant] = [:]

  init(folders: Folders) { folder = "\(folders.state)/hooks" }

  /// How long the hook has to wait. A stamp from the future is one of a clock that was set since, and holds
  /// nothing back.
  func wait(for hook: SessionHook, of name: ProviderName, at now: Now) -> Duration {
    let key = Self.key(hook, name)
    let ages = [own[key].map { now.boot - $0 }, own[key] == nil ? fileAge(key, now.wall) : nil]
    guard let age = ages.compactMap({ $0 }).first, age >= .zero, age < Self.interval else { return .zero }
    return Self.interval - age
  }

  func started(_ hook: SessionHook, of name: ProviderName, at now: Now) {
    let key = Self.key(hook, name)
    own[key] = now.boot
    mkdir(folder, 0o700)
    let fd = open("\(folder)/\(key)", O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    // Where nothing can be written the limit holds for this daemon's life only.
    guard fd >= 0 else { return }
    let seconds = now.wall.microseconds / 1_000_000
    var times = [timespec](repeating: timespec(tv_sec: Int(seconds), tv_nsec: 0), count: 2)
    futimens(fd, &times)
    close(fd)
  }

  private func fileAge(_ key: String, _ wall: WallTime) -> Duration? {
    var status = stat()
    guard lstat("\(folder)/\(key)", &status) == 0 else { return nil }
    return wall - WallTime(seconds: Int64(status.st_mtim.tv_sec))
  }

  private static func key(_ hook: SessionHook, _ name: ProviderName) -> String {
    "\(name).\(hook.rawValue)"
  }
}
