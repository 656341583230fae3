import CSystemd
import Glibc

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
    var outcome = connect(&bus, to: address)
    defer { sd_bus_flush_close_unref(bus) }
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
    if outcome >= 0 { outcome = sd_bus_call(bus, call, UInt64(patience / .microseconds(1)), &error, &reply) }
    guard outcome >= 0 else { return refusal(error, outcome) }
    var descriptor: Int32 = -1
    outcome = sd_bus_message_read_basic(reply, CChar(UInt8(ascii: "h")), &descriptor)
    // The message keeps its own; the lock is gone with the last copy.
    let copy = outcome > 0 ? fcntl(descriptor, F_DUPFD_CLOEXEC, 3) : -1
    guard copy >= 0 else { return .unavailable(why: "its answer holds no lock") }
    return .held(InhibitorLock(owning: copy))
  }

  private static func connect(_ bus: inout OpaquePointer?, to address: String?) -> Int32 {
    guard let address else { return sd_bus_open_system(&bus) }
    var outcome = sd_bus_new(&bus)
    if outcome >= 0 { outcome = sd_bus_set_address(bus, address) }
    if outcome >= 0 { outcome = sd_bus_set_bus_client(bus, 1) }
    return outcome >= 0 ? sd_bus_start(bus) : outcome
  }

  private static func refusal(_ error: sd_bus_error, _ outcome: Int32) -> Answer {
    let name = error.name.map { String(cString: $0) }
    if name == inProgress { return .goingDown }
    return .unavailable(why: error.message.map { String(cString: $0) } ?? PlatformError.words(for: -outcome))
  }

  private init(owning descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }
}
