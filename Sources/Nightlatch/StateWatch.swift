import AuthCache
import AuthModel
import CLinux
import Glibc
import Scheduling

/// Waits for a provider's auth state to change: an inotify watch on the auth cache's folder, a timer for the end
/// of the access token, and a socket whose other end says when to stop. Nothing is polled, unless the kernel
/// grants no watch (inotify(7): `max_user_watches`).
struct StateWatch: Sendable {
  private let file: AuthCacheFile
  private let folder: String
  private let bootID: BootID
  /// An inotify(7) descriptor.
  private let events: Int32
  /// A timerfd(2) of the boot clock, which goes on while the machine sleeps.
  private let timer: Int32
  private let stopped: Int32
  private let stopping: Int32

  private static let interesting =
    UInt32(IN_ATTRIB | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF)

  init(_ file: AuthCacheFile, folder: String, bootID: BootID) throws(NightlatchError) {
    self.file = file
    self.folder = folder
    self.bootID = bootID
    events = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    timer = timerfd_create(CLOCK_BOOTTIME, Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK))
    var ends: [Int32] = [-1, -1]
    socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends)
    (stopped, stopping) = (ends[0], ends[1])
    guard events >= 0, timer >= 0, stopping >= 0 else {
      let code = errno
      for fd in [events, timer, stopped, stopping] where fd >= 0 { close(fd) }
      throw .unwatchable(folder: folder, code: code)
    }
  }

  /// Ends ``follow(_:)``. To be called once.
  func stop() { close(stopping) }

  /// Reports the state as it is and then each other one, until ``stop()``. Blocks its thread.
  func follow(_ report: (AuthState) -> Void) {
    defer { for fd in [events, timer, stopped] { close(fd) } }
    let reader = AuthCacheReader(file, in: bootID)
    var last: AuthState?
    var watched: Int32 = -1
    repeat {
      // First the watch, then the look: what changes in between wakes us again.
      watched = watchNearestFolder(insteadOf: watched)
      reader.reopenIfReplaced()
      let now = Now.current()
      let state = reader.authState(at: now)
      armTimer(for: reader.read(), now)
      if state != last { report(state) }
      last = state
    } while waitForChange(isWatching: watched >= 0)
  }
}

extension StateWatch {
  /// Watches the folder, or as long as it does not exist the nearest one above it that does, and nothing else.
  ///
  /// A folder that comes just before the watch above it begins is found by the second look.
  private func watchNearestFolder(insteadOf old: Int32) -> Int32 {
    var watched = watchNearestFolder()
    if access(folder, F_OK) == 0 { watched = inotify_add_watch(events, folder, Self.interesting) }
    if old >= 0, old != watched { inotify_rm_watch(events, old) }
    return watched
  }

  private func watchNearestFolder() -> Int32 {
    var path = folder
    while true {
      let watched = inotify_add_watch(events, path, Self.interesting)
      guard watched < 0, path != "/", let slash = path.lastIndex(of: "/") else { return watched }
      path = slash == path.startIndex ? "/" : String(path[..<slash])
    }
  }

  /// Nobody publishes that a token has expired.
  private func armTimer(for reading: SnapshotReading, _ now: Now) {
    let left = reading.snapshot?.authStateForecast(in: bootID).validity.timeLeft(at: now) ?? .zero
    // All zeroes disarm it. One microsecond more, so that the end has passed.
    let span = left > .zero ? min(left.wholeMicroseconds, 1 << 50) + 1 : 0
    var setting = itimerspec()
    setting.it_value.tv_sec = Int(span / 1_000_000)
    setting.it_value.tv_nsec = Int(span % 1_000_000) * 1_000
    timerfd_settime(timer, 0, &setting, nil)
  }

  /// Without a watch it looks again after a second. False when it is time to stop.
  private func waitForChange(isWatching: Bool) -> Bool {
    var descriptors = [events, timer, stopped].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while poll(&descriptors, nfds_t(descriptors.count), isWatching ? -1 : 1_000) < 0 {
      guard errno == EINTR else { return false }
    }
    if descriptors[2].revents != 0 { return false }
    // What happened does not matter: everything is looked at again.
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    for fd in [events, timer] { while read(fd, &buffer, buffer.count) > 0 {} }
    return true
  }
}
