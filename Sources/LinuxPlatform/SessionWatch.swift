import CSystemd

/// Whether somebody is at this machine: a person's local login session is in the foreground of its seat
/// and not locked.
///
/// Sessions are read with sd-login(3), whose monitor tells of logins, logouts and switches. Whether one is
/// locked is known as far as the desktop tells logind, and only over the bus (LockedHint,
/// org.freedesktop.login1(5)): until that has answered, or where it can't be asked, it counts as locked.
public final class SessionWatch {
  public private(set) var isActive = false

  private let owner: UInt32?
  private let look: () -> [LoginSession]
  private let bus: BusConnection
  private let onChange: (Bool) -> Void
  private var monitor: LoginMonitor?
  /// Answers about locks count only if they belong to the last look.
  private var looks: UInt64 = 0
  /// Sessions somebody sits at, as of the last look, that are known not to be locked.
  private var unlocked: Set<String> = []

  /// `onChange` gets the new ``isActive`` and is called only when it is another one, never before this
  /// has returned. `owner` nil means anybody's session. Throws on a machine without logind.
  public convenience init(
    owner: UInt32?, onChange: @escaping (Bool) -> Void
  ) throws(PlatformError) {
    self.init(
      owner: owner, bus: BusConnection(.system, matching: [Logind.sessionChanged]),
      looking: LoginSession.all, onChange: onChange)
    monitor = try LoginMonitor { [weak self] in self?.lookAgain() }
    lookAgain()
  }

  /// `look` stands in for logind's sessions only in tests, which call ``lookAgain()`` themselves.
  init(
    owner: UInt32?, bus: BusConnection, looking look: @escaping () -> [LoginSession],
    onChange: @escaping (Bool) -> Void
  ) {
    self.owner = owner
    self.bus = bus
    self.look = look
    self.onChange = onChange
    bus.onSignal = { [weak self] in self?.received($0) }
    // Asked again at the next change; a logind that starts anew announces every session.
    bus.onEnd = { [weak self] _ in self?.know(unlocked: []) }
  }

  public func cancel() {
    monitor = nil
    looks += 1
    bus.onEnd = { _ in }
    bus.close(why: "login sessions are no longer watched")
  }

  /// What tells of a change only says that there is one.
  func lookAgain() {
    looks += 1
    let attended = look().filter { $0.isAttended(by: owner) }.map(\.id)
    for id in attended { ask(id) }
    know(unlocked: unlocked.intersection(attended))
  }

  private func received(_ message: OpaquePointer) {
    if sd_bus_message_is_signal(message, Logind.properties, "PropertiesChanged") > 0 { lookAgain() }
  }

  private func ask(_ id: String) {
    guard let session = Logind.properties(ofSession: id) else { return }
    // Without a bus the session stays locked until the next change.
    try? bus.call(session, "Get", [Logind.session, "LockedHint"]) { [weak self, looks] reply in
      guard let self, looks == self.looks else { return }
      var isLocked = true
      if case .message(let message) = reply { isLocked = BusMessage.readFlag(message) ?? true }
      know(unlocked: isLocked ? unlocked.subtracting([id]) : unlocked.union([id]))
    }
  }

  private func know(unlocked: Set<String>) {
    self.unlocked = unlocked
    guard isActive == unlocked.isEmpty else { return }
    isActive = !unlocked.isEmpty
    onChange(isActive)
  }
}
