import CSystemd

/// Whether the machine is about to sleep or to shut down, as logind announces it (org.freedesktop.login1(5),
/// PrepareForSleep and PrepareForShutdown).
@MainActor public final class DepartureWatch {
  /// From the announcement to the end of the sleep, or of a shutdown that did not come about.
  public var isGoingDown: Bool { !pending.isEmpty }

  private let bus: BusConnection
  private let onChange: (Bool) -> Void
  /// The announcements that are not over, by their signal.
  private var pending: Set<String> = []

  /// `onChange` gets the new ``isGoingDown`` and is called only when it is another one, never before this
  /// has returned. Throws on a machine without a system bus.
  public convenience init(onChange: @escaping (Bool) -> Void) throws(PlatformError) {
    try self.init(BusConnection(.system, matching: Logind.departureRules), onChange: onChange)
  }

  init(_ bus: BusConnection, onChange: @escaping (Bool) -> Void) throws(PlatformError) {
    self.bus = bus
    self.onChange = onChange
    bus.onSignal = { [weak self] in self?.received($0) }
    // Nobody is left to say that it is over. The agent asks logind itself before it begins anything.
    bus.onEnd = { [weak self] _ in self?.know([]) }
    for (signal, property) in Logind.departures {
      // An announcement from before the watch.
      try bus.call(Logind.objectProperties, "Get", [Logind.manager, property]) { [weak self] reply in
        guard case .message(let message) = reply, BusMessage.readFlag(message) == true else { return }
        self?.know(signal, isPending: true)
      }
    }
  }

  public func cancel() {
    bus.onEnd = { _ in }
    bus.close(why: "sleep and shutdown are no longer watched")
  }

  private func received(_ message: OpaquePointer) {
    for (signal, _) in Logind.departures where sd_bus_message_is_signal(message, Logind.manager, signal) > 0 {
      BusMessage.readPlainFlag(message).map { know(signal, isPending: $0) }
    }
  }

  private func know(_ signal: String, isPending: Bool) {
    know(isPending ? pending.union([signal]) : pending.subtracting([signal]))
  }

  private func know(_ pending: Set<String>) {
    let before = isGoingDown
    self.pending = pending
    if isGoingDown != before { onChange(isGoingDown) }
  }
}
