import CSystemd
import Glibc
import Testing

@testable import LinuxPlatform

/// A message bus of its own, with one service on it.
final class ServiceOnBus {
  let address: String
  /// A call or signal that reached the service.
  var onMessage: (OpaquePointer) -> Void = { _ in }
  private(set) var bus: OpaquePointer?
  private let daemon: ChildProcess
  private let reader: JobZoo.Reader
  private var source: FileSource?

  init(named name: String) async throws {
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
    if outcome >= 0 { outcome = sd_bus_request_name(bus, name, 0) }
    try #require(outcome >= 0)
    source = FileSource(
      owning: fcntl(sd_bus_get_fd(bus), F_DUPFD_CLOEXEC, 3), onReadable: { [weak self] in self?.serve() })
    serve()
  }

  /// Ends the whole bus.
  func stop() async {
    source?.cancel()
    daemon.signal(SIGKILL)
    _ = await JobZoo.waitForExit(daemon)
    reader.close()
    sd_bus_close_unref(bus)
    bus = nil
  }

  private func serve() {
    while let bus {
      var message: OpaquePointer?
      let outcome = sd_bus_process(bus, &message)
      if let message {
        onMessage(message)
        sd_bus_message_unref(message)
      }
      if outcome <= 0 { break }
    }
    sd_bus_flush(bus)
  }

  /// Sends what `make` has made, after `append` has given it its arguments.
  func send(
    _ make: (OpaquePointer?, inout OpaquePointer?) -> Int32, append: (OpaquePointer?) -> Void = { _ in }
  ) {
    var message: OpaquePointer?
    #expect(make(bus, &message) >= 0)
    append(message)
    #expect(sd_bus_send(bus, message, nil) >= 0)
    sd_bus_message_unref(message)
    sd_bus_flush(bus)
  }

  func refuse(_ call: OpaquePointer, _ name: String, _ why: String) {
    var error = sd_bus_error()
    sd_bus_error_set(&error, name, why)
    send { sd_bus_message_new_method_error(call, &$1, &error) }
    sd_bus_error_free(&error)
  }
}
