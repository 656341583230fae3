/// How a process ended.
public nonisolated enum ProcessExit: Hashable, Sendable {
  case exited(code: Int32)
  case signalled(Int32)
  /// It was not our child, so the kernel told us when it ended but not how.
  case unknown
}
