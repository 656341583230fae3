import CLinux
import CSystemd
import Glibc
import Scheduling

/// The service manager that started this process, if one did: sd_notify(3), sd_watchdog_enabled(3)
/// and sd_listen_fds(3). Reads and removes their variables, so that no child mistakes them for its own.
public final class ServiceManager {
  /// How often the manager must hear ``watchdog()``, halved as sd_watchdog_enabled(3) advises; nil
  /// when it does not watch.
  public let watchdogInterval: Duration?
  /// The activated sockets; this process owns them.
  public let listenSockets: [Int32]

  private let address: String?
  private var lastStatus: String?

  /// Call it once, before any child is started.
  public init() {
    address = getenv("NOTIFY_SOCKET").map { String(cString: $0) }
    unsetenv("NOTIFY_SOCKET")
    var microseconds: UInt64 = 0
    let isWatched = sd_watchdog_enabled(1, &microseconds) > 0 && microseconds > 0
    watchdogInterval = isWatched ? .microseconds(Int64(clamping: microseconds / 2)) : nil
    listenSockets = (0..<max(0, sd_listen_fds(1))).map { SD_LISTEN_FDS_START + $0 }
  }

  /// For tests: a manager that listens at `address`.
  init(address: String?) {
    self.address = address
    watchdogInterval = nil
    listenSockets = []
  }

  public var isPresent: Bool { address != nil }

  public func ready(status: String) { send(["READY=1", "STATUS=\(Self.oneLine(status))"]) }

  /// Shown by `systemctl status`. The same text again is not sent.
  public func status(_ text: String) {
    guard text != lastStatus else { return }
    lastStatus = text
    send(["STATUS=\(Self.oneLine(text))"])
  }

  /// Follow it with ``ready(status:)`` when the reload is done (Type=notify-reload).
  public func reloading() {
    send(["RELOADING=1", "MONOTONIC_USEC=\(SystemClock.monotonicMicroseconds())"])
  }

  public func stopping(status: String) { send(["STOPPING=1", "STATUS=\(Self.oneLine(status))"]) }

  public func watchdog() { send(["WATCHDOG=1"]) }

  /// Asks for `duration` more, from now, before a start or stop is called hung.
  public func extendTimeout(_ duration: Duration) {
    send(["EXTEND_TIMEOUT_USEC=\(max(0, duration.wholeMicroseconds))"])
  }

  private static func oneLine(_ text: String) -> String {
    String(text.map { $0.isNewline ? " " : $0 })
  }

  /// A datagram that is lost is lost: nothing the daemon does may depend on its manager's health.
  private func send(_ assignments: [String]) {
    guard let address, let target = UnixAddress(address) else { return }
    let fd = nl_unix_datagram()
    guard fd >= 0 else { return }
    defer { close(fd) }
    let message = Array(assignments.joined(separator: "\n").utf8)
    target.with { address, length in
      _ = sendto(fd, message, message.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), address, length)
    }
  }
}
