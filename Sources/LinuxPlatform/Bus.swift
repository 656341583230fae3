import CSystemd
import Glibc

/// The message bus, as far as starting units goes: connected on first use, served by the main loop, and
/// never waited for.
///
/// It uses no callback of sd-bus: every message comes out of sd_bus_process(3), and replies are matched
/// by their serial number here.
@MainActor public final class Bus {
  public enum Scope: Sendable {
    case system
    case user
  }

  /// The result systemd reports for a job: `done`, `failed`, `canceled`, `timeout`, `dependency`,
  /// `skipped` (org.freedesktop.systemd1(5), JobRemoved).
  public typealias Answer = Result<String, PlatformError>

  private struct Waiting {
    var unit: String
    var answer: (Answer) -> Void
  }

  private let open: () -> (bus: OpaquePointer?, outcome: Int32)
  private var bus: OpaquePointer?
  private var reader: FileSource?
  private var writer: FileSource?
  private var timer: TimerSource?
  /// Starts that systemd has not confirmed, by the call's serial number.
  private var calls: [UInt64: Waiting] = [:]
  /// Jobs that run, by object path.
  private var jobs: [String: Waiting] = [:]

  public init(_ scope: Scope) {
    open = {
      var bus: OpaquePointer?
      let outcome = scope == .system ? sd_bus_open_system(&bus) : sd_bus_open_user(&bus)
      return (bus, outcome)
    }
  }

  /// A bus of their own for tests.
  init(address: String) {
    open = {
      var bus: OpaquePointer?
      var outcome = sd_bus_new(&bus)
      if outcome >= 0 { outcome = sd_bus_set_address(bus, address) }
      if outcome >= 0 { outcome = sd_bus_set_bus_client(bus, 1) }
      if outcome >= 0 { outcome = sd_bus_start(bus) }
      return (bus, outcome)
    }
  }

  /// Starts a unit (StartUnit, mode "replace") and answers, on the main queue and not before this call
  /// has returned, when its job has ended: for a oneshot unit, when it has run.
  public func startUnit(_ unit: String, answer: @escaping (Answer) -> Void) {
    do {
      let bus = try connect()
      let serial = try send(bus, "StartUnit", [unit, "replace"])
      calls[serial] = Waiting(unit: unit, answer: answer)
      serve()
    } catch {
      let failure = error
      Later.run { answer(.failure(failure)) }
    }
  }

  /// Ends the connection; whoever waits is told so.
  public func close() { disconnect(why: "the connection was closed") }

  private func connect() throws(PlatformError) -> OpaquePointer {
    if let bus { return bus }
    let (opened, outcome) = open()
    guard outcome >= 0, let opened else {
      sd_bus_unref(opened)
      throw .noBus(why: PlatformError.words(for: -outcome))
    }
    bus = opened
    do {
      timer = try TimerSource(clock: CLOCK_MONOTONIC) { [weak self] _ in self?.serve() }
      try watch(opened)
      // Without a subscriber systemd does not announce jobs.
      _ = try send(opened, "Subscribe", [])
      _ = try sendMatch(opened)
    } catch {
      disconnect(why: error.description)
      throw error
    }
    return opened
  }

  private func watch(_ bus: OpaquePointer) throws(PlatformError) {
    // The bus keeps its own descriptor; the source owns a copy.
    let fd = fcntl(sd_bus_get_fd(bus), F_DUPFD_CLOEXEC, 3)
    guard fd >= 0 else { throw .noBus(why: PlatformError.words(for: errno)) }
    reader = FileSource(owning: fd, onReadable: { [weak self] in self?.serve() })
  }

  private func serve() {
    while let bus {
      var message: OpaquePointer?
      let outcome = sd_bus_process(bus, &message)
      if let message {
        take(message)
        sd_bus_message_unref(message)
      }
      guard outcome >= 0 else { return disconnect(why: PlatformError.words(for: -outcome)) }
      if outcome == 0 { break }
    }
    if let bus { arm(bus) }
  }

  private func arm(_ bus: OpaquePointer) {
    let wantsToWrite = sd_bus_get_events(bus) & Int32(POLLOUT) != 0
    if !wantsToWrite {
      writer?.cancel()
      writer = nil
    } else if writer == nil {
      let fd = fcntl(sd_bus_get_fd(bus), F_DUPFD_CLOEXEC, 3)
      if fd >= 0 { writer = FileSource(owning: fd, onWritable: { [weak self] in self?.serve() }) }
    }
    var deadline: UInt64 = 0
    let hasDeadline = sd_bus_get_timeout(bus, &deadline) > 0 && deadline < UInt64(Int64.max)
    timer?.arm(at: hasDeadline ? Int64(deadline) : nil)
  }

  private func take(_ message: OpaquePointer) {
    var serial: UInt64 = 0
    if sd_bus_message_get_reply_cookie(message, &serial) >= 0 {
      if let waiting = calls.removeValue(forKey: serial) { confirmed(waiting, message) }
    } else if sd_bus_message_is_signal(message, Systemd.manager, "JobRemoved") > 0 {
      jobRemoved(message)
    }
  }

  private func confirmed(_ waiting: Waiting, _ message: OpaquePointer) {
    if let error = sd_bus_message_get_error(message), sd_bus_message_is_method_error(message, nil) > 0 {
      let why = error.pointee.message ?? error.pointee.name
      let text = why.map { String(cString: $0) } ?? "the service manager refused"
      return waiting.answer(.failure(.unitNotStarted(waiting.unit, why: text)))
    }
    guard let job = Systemd.readString(message, type: "o") else {
      return waiting.answer(.failure(.unitNotStarted(waiting.unit, why: "its answer names no job")))
    }
    jobs[job] = waiting
  }

  /// JobRemoved(u id, o job, s unit, s result).
  private func jobRemoved(_ message: OpaquePointer) {
    guard Systemd.skip(message, "u"), let job = Systemd.readString(message, type: "o"),
      Systemd.skip(message, "s"), let result = Systemd.readString(message, type: "s")
    else { return }
    jobs.removeValue(forKey: job)?.answer(.success(result))
  }

  private func disconnect(why: String) {
    let waiting = Array(calls.values) + Array(jobs.values)
    (calls, jobs) = ([:], [:])
    for source in [reader, writer] { source?.cancel() }
    timer?.cancel()
    (reader, writer, timer) = (nil, nil, nil)
    sd_bus_close_unref(bus)
    bus = nil
    for start in waiting { start.answer(.failure(.unitNotStarted(start.unit, why: why))) }
  }

  private func send(_ bus: OpaquePointer, _ method: String, _ arguments: [String]) throws(PlatformError)
    -> UInt64
  {
    try Systemd.send(
      bus, to: (Systemd.name, Systemd.path, Systemd.manager), method: method, strings: arguments)
  }

  private func sendMatch(_ bus: OpaquePointer) throws(PlatformError) -> UInt64 {
    let rule =
      "type='signal',sender='\(Systemd.name)',path='\(Systemd.path)',interface='\(Systemd.manager)',member='JobRemoved'"
    return try Systemd.send(
      bus, to: ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus"), method: "AddMatch",
      strings: [rule])
  }

  // Needs the class to name its actor: an optimized build forgets a default isolation.
  isolated deinit { disconnect(why: "the connection was closed") }
}
