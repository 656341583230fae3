/// How a process ended.
public nonisolated enum ProcessExit: Hashable, Sendable, CustomStringConvertible {
  case exited(code: Int32)
  case signalled(Int32, dumpedCore: Bool)
  /// It was not our child, so the kernel told us when it ended but not how.
  case unknown

  public var description: String {
    switch self {
    case .exited(let code): "exit status \(code)"
    case .signalled(let signal, let dumped): "killed by signal \(signal)\(dumped ? " (core dumped)" : "")"
    case .unknown: "ended, exit status unknown"
    }
  }
}
