import CSystemd

@testable import LinuxPlatform

/// The part of systemd that starts units, on a bus of its own: `x-RESULT.service` ends with that result,
/// `refused.service` is refused, `never.service` never ends.
final class ServiceManagerOnBus {
  let calls = Events<String>()
  private let service: ServiceOnBus
  private var jobs = 0

  init() async throws {
    service = try await ServiceOnBus(named: Systemd.name)
    service.onMessage = { [weak self] in self?.answer($0) }
  }

  var address: String { service.address }

  func stop() async { await service.stop() }

  private func answer(_ call: OpaquePointer) {
    if sd_bus_message_is_method_call(call, Systemd.manager, "Subscribe") > 0 {
      calls.post("Subscribe")
      service.send { sd_bus_message_new_method_return(call, &$1) }
    } else if sd_bus_message_is_method_call(call, Systemd.manager, "StartUnit") > 0 {
      let unit = BusMessage.readString(call, type: "s") ?? ""
      calls.post("StartUnit \(unit) \(BusMessage.readString(call, type: "s") ?? "")")
      start(unit, call)
    }
  }

  private func start(_ unit: String, _ call: OpaquePointer) {
    guard unit != "refused.service" else {
      return service.refuse(call, "org.freedesktop.systemd1.NoSuchUnit", "Unit refused.service not found.")
    }
    jobs += 1
    let job = "\(Systemd.path)/job/\(jobs)"
    service.send({ sd_bus_message_new_method_return(call, &$1) }, append: { self.append("o", job, to: $0) })
    guard unit != "never.service" else { return }
    let result = unit.split { $0 == "-" || $0 == "." }.dropFirst().first.map(String.init) ?? ""
    // Somebody else's job ends first.
    jobRemoved("\(Systemd.path)/job/999", unit, "failed")
    jobRemoved(job, unit, result)
  }

  private func jobRemoved(_ job: String, _ unit: String, _ result: String) {
    service.send(
      { sd_bus_message_new_signal($0, &$1, Systemd.path, Systemd.manager, "JobRemoved") },
      append: { message in
        var id: UInt32 = 1
        sd_bus_message_append_basic(message, CChar(UInt8(ascii: "u")), &id)
        for (type, value) in [("o", job), ("s", unit), ("s", result)] as [(Unicode.Scalar, String)] {
          self.append(type, value, to: message)
        }
      })
  }

  private func append(_ type: Unicode.Scalar, _ value: String, to message: OpaquePointer?) {
    _ = value.withCString { sd_bus_message_append_basic(message, CChar(UInt8(ascii: type)), $0) }
  }
}
