import CSystemd

/// The service manager on the message bus, as far as starting units goes: connected on first use, and
/// never waited for.
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

  private static let jobRemoved =
    "type='signal',sender='\(Systemd.name)',path='\(Systemd.path)',interface='\(Systemd.manager)',member='JobRemoved'"

  private let connection: BusConnection
  /// Jobs that run, by object path.
  private var jobs: [String: Waiting] = [:]

  public convenience init(_ scope: Scope) {
    self.init(BusConnection(scope, matching: [Self.jobRemoved]))
  }

  /// A bus of their own for tests.
  convenience init(address: String) {
    self.init(BusConnection(address: address, matching: [Self.jobRemoved]))
  }

  private init(_ connection: BusConnection) {
    self.connection = connection
    connection.onSignal = { [weak self] in self?.received($0) }
    connection.onEnd = { [weak self] in self?.ended(why: $0) }
  }

  /// Starts a unit (StartUnit, mode "replace") and answers, on the main queue and not before this call
  /// has returned, when its job has ended: for a oneshot unit, when it has run.
  public func startUnit(_ unit: String, answer: @escaping (Answer) -> Void) {
    let waiting = Waiting(unit: unit, answer: answer)
    do {
      // Without a subscriber systemd does not announce jobs.
      if !connection.isOpen { try connection.call(.systemd, "Subscribe", []) { _ in } }
      try connection.call(.systemd, "StartUnit", [unit, "replace"]) { [weak self] reply in
        switch reply {
        case .message(let message): self?.confirmed(waiting, message)
        case .failed(let why): answer(.failure(.unitNotStarted(unit, why: why)))
        }
      }
    } catch {
      let failure = error
      Later.run { answer(.failure(failure)) }
    }
  }

  /// Ends the connection; whoever waits is told so.
  public func close() { connection.close(why: "the connection was closed") }

  private func confirmed(_ waiting: Waiting, _ message: OpaquePointer) {
    guard let job = BusMessage.readString(message, type: "o") else {
      return waiting.answer(.failure(.unitNotStarted(waiting.unit, why: "its answer names no job")))
    }
    jobs[job] = waiting
  }

  /// JobRemoved(u id, o job, s unit, s result).
  private func received(_ message: OpaquePointer) {
    guard sd_bus_message_is_signal(message, Systemd.manager, "JobRemoved") > 0, BusMessage.skip(message, "u"),
      let job = BusMessage.readString(message, type: "o"), BusMessage.skip(message, "s"),
      let result = BusMessage.readString(message, type: "s")
    else { return }
    jobs.removeValue(forKey: job)?.answer(.success(result))
  }

  private func ended(why: String) {
    let waiting = jobs.values
    jobs = [:]
    for start in waiting { start.answer(.failure(.unitNotStarted(start.unit, why: why))) }
  }

  // Needs the class to name its actor: an optimized build forgets a default isolation.
  isolated deinit {
    close()
    ended(why: "the connection was closed")
  }
}
