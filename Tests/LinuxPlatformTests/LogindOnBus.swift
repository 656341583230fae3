import CSystemd
import Glibc
import Testing

@testable import LinuxPlatform

/// The parts of logind that say whether a session is locked and whether the machine is going down, and that
/// hold it up, on a bus of its own.
final class LogindOnBus {
  /// The properties of the manager that are true.
  var pending: Set<String> = []
  /// In microseconds.
  var longestDelay: UInt64 = 5_000_000
  /// What locks were asked for: what, who, why, mode.
  let inhibitions = Events<[String]>()
  /// Our end of the latest lock: at its end of file the lock is gone.
  private(set) var lock: Int32 = -1
  /// The sessions that exist, and whether each is locked.
  var isLocked: [String: Bool] = [:]
  /// Whether questions are left open.
  var isSilent = false
  /// The sessions and properties of the manager that were asked about.
  let questions = Events<String>()
  private let service: ServiceOnBus
  private var open: [OpaquePointer] = []

  init() async throws {
    service = try await ServiceOnBus(named: Logind.name)
    service.onMessage = { [weak self] in self?.received($0) }
  }

  var address: String { service.address }

  func stop() async { await service.stop() }

  /// Answers the open questions, in their order.
  func speak() {
    isSilent = false
    for call in open {
      answer(call)
      sd_bus_message_unref(call)
    }
    open = []
  }

  /// The desktop locks or unlocks, and logind announces it.
  func setLocked(_ id: String, _ value: Bool) {
    isLocked[id] = value
    service.send(
      {
        sd_bus_message_new_signal(
          $0, &$1, Logind.properties(ofSession: id)?.path, Logind.properties, "PropertiesChanged")
      },
      append: { message in
        let (array, entry, variant) = ("a", "e", "v") as (Unicode.Scalar, Unicode.Scalar, Unicode.Scalar)
        self.append(Logind.session, to: message)
        self.open(array, "{sv}", in: message)
        self.open(entry, "sv", in: message)
        self.append("LockedHint", to: message)
        self.open(variant, "b", in: message)
        self.append(value, to: message)
        for _ in 0..<3 { sd_bus_message_close_container(message) }
        self.open(array, "s", in: message)
        sd_bus_message_close_container(message)
      })
  }

  /// Something begins, or is over; the property says the same.
  func announce(_ signal: String, _ property: String, _ value: Bool) {
    if value { pending.insert(property) } else { pending.remove(property) }
    service.send(
      { sd_bus_message_new_signal($0, &$1, Logind.path, Logind.manager, signal) },
      append: { self.append(value, to: $0) })
  }

  private func inhibit(_ call: OpaquePointer) {
    inhibitions.post((1...4).map { _ in BusMessage.readString(call, type: "s") ?? "?" })
    guard pending.isEmpty else {
      return service.refuse(call, "org.freedesktop.login1.OperationInProgress", "It is under way.")
    }
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    lock = ends[0]
    _ = fcntl(lock, F_SETFL, O_NONBLOCK)
    service.send(
      { sd_bus_message_new_method_return(call, &$1) },
      append: { message in
        // Copied into the message.
        sd_bus_message_append_basic(message, CChar(UInt8(ascii: "h")), &ends[1])
      })
    close(ends[1])
  }

  private func answerForManager(_ call: OpaquePointer) {
    _ = BusMessage.skip(call, "s")
    let property = BusMessage.readString(call, type: "s") ?? "?"
    if property == "InhibitDelayMaxUSec" {
      reply(call, "t") { sd_bus_message_append_basic($0, CChar(UInt8(ascii: "t")), &self.longestDelay) }
    } else {
      reply(call, pending.contains(property))
    }
    questions.post(property)
  }

  private func received(_ call: OpaquePointer) {
    if sd_bus_message_is_method_call(call, Logind.manager, "Inhibit") > 0 { return inhibit(call) }
    guard sd_bus_message_is_method_call(call, Logind.properties, "Get") > 0 else { return }
    if sd_bus_message_get_path(call).map({ String(cString: $0) }) == Logind.path {
      return answerForManager(call)
    }
    if isSilent { open.append(sd_bus_message_ref(call)) } else { answer(call) }
    questions.post(sessionID(of: call))
  }

  private func answer(_ call: OpaquePointer) {
    guard let isLocked = isLocked[sessionID(of: call)],
      BusMessage.readString(call, type: "s") == Logind.session,
      BusMessage.readString(call, type: "s") == "LockedHint"
    else { return service.refuse(call, "org.freedesktop.DBus.Error.UnknownObject", "Unknown object.") }
    reply(call, isLocked)
  }

  private func reply(_ call: OpaquePointer, _ flag: Bool) {
    reply(call, "b") { self.append(flag, to: $0) }
  }

  private func reply(_ call: OpaquePointer, _ type: String, _ append: @escaping (OpaquePointer?) -> Void) {
    service.send(
      { sd_bus_message_new_method_return(call, &$1) },
      append: { message in
        self.open("v", type, in: message)
        append(message)
        sd_bus_message_close_container(message)
      })
  }

  private func sessionID(of call: OpaquePointer) -> String {
    let path = sd_bus_message_get_path(call).map { String(cString: $0) }
    return isLocked.keys.first { Logind.properties(ofSession: $0)?.path == path } ?? "?"
  }

  private func open(_ type: Unicode.Scalar, _ contents: String, in message: OpaquePointer?) {
    sd_bus_message_open_container(message, CChar(UInt8(ascii: type)), contents)
  }

  private func append(_ text: String, to message: OpaquePointer?) {
    _ = text.withCString { sd_bus_message_append_basic(message, CChar(UInt8(ascii: "s")), $0) }
  }

  private func append(_ flag: Bool, to message: OpaquePointer?) {
    var value: Int32 = flag ? 1 : 0
    sd_bus_message_append_basic(message, CChar(UInt8(ascii: "b")), &value)
  }
}
