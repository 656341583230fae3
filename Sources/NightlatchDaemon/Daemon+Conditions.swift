import AuthModel
import Glibc
import JobEngine
import LinuxPlatform

extension Daemon {
  /// What the machine offers right now. Where a watch could not be set up, nothing is held back for it;
  /// but nobody is taken to be at a machine that has no login sessions.
  var conditions: Conditions {
    var conditions = Conditions()
    conditions.hasDefaultRoute = network?.hasDefaultRoute ?? true
    conditions.onExternalPower = power?.state.isExternal ?? true
    conditions.battery = power?.state.batteryPercent
    conditions.isSessionActive = session?.isActive ?? false
    conditions.isClockSynchronized = isClockSynchronized()
    conditions.isGoingDown = departure?.isGoingDown ?? false
    return conditions
  }

  /// The clock may have been set by a source of time.
  func clockWasSet() {
    post(.clockStepped)
    conditionsChanged()
  }

  func watchConditions() {
    network = try? NetworkWatch { [weak self] _ in self?.conditionsChanged() }
    power = try? PowerWatch { [weak self] _ in self?.conditionsChanged() }
    departure = try? DepartureWatch { [weak self] _ in self?.conditionsChanged() }
    watchSession()
  }

  /// Watches login sessions only while a provider's phases depend on them: desktops tell of every change,
  /// and each would wake the daemon.
  func watchSession() {
    let isNeeded = configuration.definitions.dependOnSession
    if isNeeded, session == nil {
      let owner = folders.mode == .user ? getuid() : nil
      session = try? SessionWatch(owner: owner) { [weak self] _ in self?.conditionsChanged() }
    } else if !isNeeded, let unneeded = session {
      unneeded.cancel()
      session = nil
      conditionsChanged()
    }
  }

  func conditionsChanged() { post(.conditionsChanged(conditions)) }
}

extension Definitions {
  /// Whether some provider has `[foreground] when = "session"`, its own or the daemon's.
  var dependOnSession: Bool {
    providers.values.contains { ($0.foreground ?? settings.foreground) == .session }
  }
}
