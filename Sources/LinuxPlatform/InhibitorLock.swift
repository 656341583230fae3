import CSystemd
import Glibc
import Scheduling

/// logind's delay lock on sleep and shutdown (org.freedesktop.login1(5), Inhibit): as long as this lives,
/// both wait, though no longer than InhibitDelayMaxSec= says (logind.conf(5); 5 s by default).
public nonisolated final class InhibitorLock: Sendable {
  public enum Answer: Sendable {
    case held(InhibitorLock)
    /// Sleep or shutdown has been announced already; nothing holds it up any more.
    case goingDown
    /// Nobody here to give one; why, in a few words.
    case unavailable(why: String)
  }

  private static let inProgress = "org.freedesktop.login1.OperationInProgress"

  private let descriptor: Int32

  /// Asks logind, and waits for its answer.
  ///
  /// - Parameters:
  ///   - who: shown by `systemd-inhibit --list`.
  ///   - patience: a logind that does not answer within it is taken for none.
  public static func take(who: String, why: String, patience: Duration = .seconds(2)) -> Answer {
    take(who: who, why: why, patience: patience, on: nil)
  }

  /// - Parameter address: a bus of its own for tests; nil: the system's.
  static func take(who: String, why: String, patience: Duration, on address: String?) -> Answer {
    var bus: OpaquePointer?
    var outcome = connect(&bus, to: address, within: patience)
    // Without a flush, which would wait for the greeting again.
    defer { sd_bus_close_unref(bus) }
    guard outcome >= 0 else { return .unavailable(why: PlatformError.words(for: -outcome)) }
    var (call, reply): (OpaquePointer?, OpaquePointer?)
    var error = sd_bus_error()
    defer {
      sd_bus_message_unref(call)
      sd_bus_message_unref(reply)
      sd_bus_error_free(&error)
    }
    outcome = BusMessage.make(&call, bus, Logind.object, "Inhibit", ["sleep:shutdown", who, why, "delay"])
    // A machine that runs none needs none.
    if outcome >= 0 { outcome = sd_bus_message_set_auto_start(call, 0) }
    if outcome >= 0 { outcome = sd_bus_call(bus, call, microseconds(patience), &error, &reply) }
    guard outcome >= 0 else { return refusal(error, outcome) }
    var descriptor: Int32 = -1
    outcome = sd_bus_message_read_basic(reply, CChar(UInt8(ascii: "h")), &descriptor)
    // The message keeps its own; the lock is gone with the last copy.
    let copy = outcome > 0 ? fcntl(descriptor, F_DUPFD_CLOEXEC, 3) : -1
    guard copy >= 0 else { return .unavailable(why: "its answer holds no lock") }
    return .held(InhibitorLock(owning: copy))
  }

  static func connect(
    _ bus: inout OpaquePointer?, to address: String?, within patience: Duration
  ) -> Int32 {
    let outcome = address.map { open(&bus, $0) } ?? sd_bus_open_system(&bus)
    return outcome >= 0 ? greet(bus, within: patience) : outcome
  }

  private static func open(_ bus: inout OpaquePointer?, _ address: String) -> Int32 {
    var outcome = sd_bus_new(&bus)
    if outcome >= 0 { outcome = sd_bus_set_address(bus, address) }
    if outcome >= 0 { outcome = sd_bus_set_bus_client(bus, 1) }
    return outcome >= 0 ? sd_bus_start(bus) : outcome
  }

  /// The bus may be a socket with nobody behind it yet, or no more; sd-bus would wait for a minute and a half.
  private static func greet(_ bus: OpaquePointer?, within patience: Duration) -> Int32 {
    let deadline = SystemClock.now().boot + patience
    while sd_bus_is_ready(bus) == 0 {
      var outcome = sd_bus_process(bus, nil)
      if outcome > 0 { continue }
      let left = deadline - SystemClock.now().boot
      if outcome == 0 { outcome = left > .zero ? sd_bus_wait(bus, microseconds(left)) : -ETIMEDOUT }
      guard outcome >= 0 else { return outcome }
    }
    return 0
  }

  static func microseconds(_ duration: Duration) -> UInt64 { UInt64(duration / .microseconds(1)) }

  private static func refusal(_ error: sd_bus_error, _ outcome: Int32) -> Answer {
    let name = error.name.map { String(cString: $0) }
    if name == inProgress { return .goingDown }
    return .unavailable(why: error.message.map { String(cString: $0) } ?? PlatformError.words(for: -outcome))
  }

  private init(owning descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }
}
