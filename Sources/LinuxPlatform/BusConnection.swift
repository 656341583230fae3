import CSystemd
import Glibc

/// A connection to a message bus: made on first use, served by the main loop, and never waited for.
///
/// It uses no callback of sd-bus: every message comes out of sd_bus_process(3), and replies are matched
/// by their serial number here. After an end the next call connects again.
@MainActor final class BusConnection {
  /// What became of a call. The message is there only until the handler returns.
  enum Reply {
    case message(OpaquePointer)
    case failed(why: String)
  }

  /// A signal that matches one of the rules; the message is there only until the handler returns.
  var onSignal: (OpaquePointer) -> Void = { _ in }
  /// The connection has ended, and everyone who waited for a reply has been told.
  var onEnd: (_ why: String) -> Void = { _ in }

  private let open: () -> (bus: OpaquePointer?, outcome: Int32)
  private let rules: [String]
  private var bus: OpaquePointer?
  private var reader: FileSource?
  private var writer: FileSource?
  private var timer: TimerSource?
  /// Calls without a reply yet, by their serial number.
  private var calls: [UInt64: (Reply) -> Void] = [:]

  /// `rules` say which signals to deliver (sd_bus_add_match(3)).
  init(_ scope: Bus.Scope, matching rules: [String]) {
    self.rules = rules
    open = {
      var bus: OpaquePointer?
      let outcome = scope == .system ? sd_bus_open_system(&bus) : sd_bus_open_user(&bus)
      return (bus, outcome)
    }
  }

  /// A bus of their own for tests.
  init(address: String, matching rules: [String]) {
    self.rules = rules
    open = {
      var bus: OpaquePointer?
      var outcome = sd_bus_new(&bus)
      if outcome >= 0 { outcome = sd_bus_set_address(bus, address) }
      if outcome >= 0 { outcome = sd_bus_set_bus_client(bus, 1) }
      if outcome >= 0 { outcome = sd_bus_start(bus) }
      return (bus, outcome)
    }
  }

  var isOpen: Bool { bus != nil }

  /// Sends a call and delivers its reply on the main queue, not before this call has returned.
  func call(
    _ target: BusObject, _ method: String, _ strings: [String], reply: @escaping (Reply) -> Void
  ) throws(PlatformError) {
    let bus = try connect()
    calls[try BusMessage.send(bus, to: target, method: method, strings: strings)] = reply
    Later.run { [weak self] in self?.serve() }
  }

  /// Ends the connection; whoever waits is told `why`.
  func close(why: String) {
    let waiting = calls.values
    let wasOpen = isOpen
    calls = [:]
    for source in [reader, writer] { source?.cancel() }
    timer?.cancel()
    (reader, writer, timer) = (nil, nil, nil)
    sd_bus_close_unref(bus)
    bus = nil
    for reply in waiting { reply(.failed(why: why)) }
    if wasOpen { onEnd(why) }
  }

  // MARK: - Connecting

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
      for rule in rules { _ = try BusMessage.send(opened, to: .bus, method: "AddMatch", strings: [rule]) }
    } catch {
      close(why: error.description)
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

  // MARK: - Serving

  private func serve() {
    while let bus {
      var message: OpaquePointer?
      let outcome = sd_bus_process(bus, &message)
      if let message {
        take(message)
        sd_bus_message_unref(message)
      }
      guard outcome >= 0 else { return close(why: PlatformError.words(for: -outcome)) }
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
      guard let reply = calls.removeValue(forKey: serial) else { return }
      reply(BusMessage.refusal(message).map { .failed(why: $0) } ?? .message(message))
    } else {
      onSignal(message)
    }
  }

  // Needs the class to name its actor: an optimized build forgets a default isolation.
  isolated deinit { close(why: "the connection was closed") }
}
