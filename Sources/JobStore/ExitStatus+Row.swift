import JobEngine
import Scheduling

extension ExitStatus {
  /// `exited:CODE`, `signaled:NUMBER` or `unknown`.
  var storedForm: String {
    switch self {
    case .exited(let code): "exited:\(code)"
    case .signaled(let number): "signaled:\(number)"
    case .unknown: "unknown"
    }
  }

  init?(storedForm: String) {
    let parts = storedForm.split(separator: ":", omittingEmptySubsequences: false)
    switch (parts.first, parts.count == 2 ? Int32(parts[1]) : nil) {
    case ("exited", let code?): self = .exited(code)
    case ("signaled", let number?): self = .signaled(number)
    case ("unknown", nil) where parts.count == 1: self = .unknown
    default: return nil
    }
  }
}

extension Row {
  mutating func exit() throws(StoreError.Cause) -> ExitStatus? {
    guard let text = optionalText() else { return nil }
    return try required(ExitStatus(storedForm: text))
  }

  mutating func process() throws(StoreError.Cause) -> ProcessIdentity? {
    let (pid, ticks, bootID) = (optionalInteger(), bits(), optionalText())
    guard let pid, let ticks, let bootID else { return nil }
    let number = try required(Int32(exactly: pid))
    return ProcessIdentity(pid: number, startTicks: ticks, bootID: BootID(bootID))
  }
}

extension Binder {
  mutating func process(_ value: ProcessIdentity?) {
    integer(value.map { Int64($0.pid) })
    bits(value?.startTicks)
    text(value?.bootID.description)
  }
}
