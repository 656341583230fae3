import CSystemd
import Glibc
import Testing

@testable import LinuxPlatform

/// A message bus of its own, with the part of systemd that starts units on it: `x-RESULT.service` ends
/// with that result, `refused.service` is refused, `never.service` never ends.
final class ServiceManagerOnBus {
  let address: String
  let calls = Events<String>()
  private let daemon: ChildProcess
  private let reader: JobZoo.Reader
  private var bus: OpaquePointer?
  private var source: FileSource?
  private var jobs = 0

  init() async throws {
    daemon = try ChildProcess.spawn(
      LaunchSpec(
        command: ["dbus-daemon", "--session", "--print-address", "--nofork", "--nopidfile"],
        environment: JobZoo.environment))
    reader = try JobZoo.Reader(daemon)
    address = await reader.line.next()
    var outcome = sd_bus_new(&bus)
    if outcome >= 0 { outcome = sd_bus_set_address(bus, address) }
    if outcome >= 0 { outcome = sd_bus_set_bus_client(bus, 1) }
    if outcome >= 0 { outcome = sd_bus_start(bus) }
    if outcome >= 0 { outcome = sd_bus_request_name(bus, Systemd.name, 0) }
    try #require(outcome >= 0)
    source = FileSource(
      owning: fcntl(sd_bus_get_fd(bus), F_DUPFD_CLOEXEC, 3), onReadable: { [weak self] in self?.serve() })
    serve()
  }

  /// Ends the whole bus.
  func stop() async {
    daemon.signal(SIGKILL)
    _ = await JobZoo.waitForExit(daemon)
    reader.close()
    source?.cancel()
    sd_bus_close_unref(bus)
    bus = nil
  }

  private func serve() {
    while let bus {
      var message: OpaquePointer?
      let outcome = sd_bus_process(bus, &message)
      if let message {
        answer(message)
        sd_bus_message_unref(message)
      }
      if outcome <= 0 { break }
    }
    sd_bus_flush(bus)
  }

  private func answer(_ call: OpaquePointer) {
    if sd_bus_message_is_method_call(call, Systemd.manager, "Subscribe") > 0 {
      calls.post("Subscribe")
      send { sd_bus_message_new_method_return(call, &$0) }
    } else if sd_bus_message_is_method_call(call, Systemd.manager, "StartUnit") > 0 {
      let unit = BusMessage.readString(call, type: "s") ?? ""
      calls.post("StartUnit \(unit) \(BusMessage.readString(call, type: "s") ?? "")")
      start(unit, call)
    }
  }

  private func start(_ unit: String, _ call: OpaquePointer) {
    if unit == "refused.service" {
      var error = sd_bus_error()
      sd_bus_error_set(&error, "org.freedesktop.systemd1.NoSuchUnit", "Unit refused.service not found.")
      send { sd_bus_message_new_method_error(call, &$0, &error) }
      sd_bus_error_free(&error)
      return
    }
    jobs += 1
    let job = "\(Systemd.path)/job/\(jobs)"
    send([("o", job)]) { sd_bus_message_new_method_return(call, &$0) }
    guard unit != "never.service" else { return }
    let result = unit.split { $0 == "-" || $0 == "." }.dropFirst().first.map(String.init) ?? ""
    // Somebody else's job ends first.
    for (path, result) in [("\(Systemd.path)/job/999", "failed"), (job, result)] {
      let signal = { (message: inout OpaquePointer?) in
        sd_bus_message_new_signal(self.bus, &message, Systemd.path, Systemd.manager, "JobRemoved")
      }
      send([("u", ""), ("o", path), ("s", unit), ("s", result)], signal)
    }
  }

  private func send(
    _ arguments: [(type: Unicode.Scalar, value: String)] = [], _ make: (inout OpaquePointer?) -> Int32
  ) {
    var message: OpaquePointer?
    #expect(make(&message) >= 0)
    for (type, value) in arguments {
      let type = CChar(UInt8(ascii: type))
      if type == CChar(UInt8(ascii: "u")) {
        var number: UInt32 = 1
        sd_bus_message_append_basic(message, type, &number)
      } else {
        _ = value.withCString { sd_bus_message_append_basic(message, type, $0) }
      }
    }
    #expect(sd_bus_send(bus, message, nil) >= 0)
    sd_bus_message_unref(message)
  }
}
