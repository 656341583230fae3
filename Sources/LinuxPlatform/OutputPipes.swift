import CLinux
import Glibc

/// The pipes behind a child's standard output and error: reading ends non-blocking, nothing
/// inherited by other children.
nonisolated struct OutputPipes {
  var output: (reading: Int32, writing: Int32)
  var errors: (reading: Int32, writing: Int32)

  init() throws(PlatformError) {
    output = try Self.pipe()
    do {
      errors = try Self.pipe()
    } catch {
      for end in [output.reading, output.writing] { close(end) }
      throw error
    }
  }

  private static func pipe() throws(PlatformError) -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    guard nl_pipe(&ends) == 0 else { throw .last("create a pipe for a run's output") }
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    return (ends[0], ends[1])
  }

  func closeWriting() {
    for end in [output.writing, errors.writing] { close(end) }
  }

  func closeReading() {
    for end in [output.reading, errors.reading] { close(end) }
  }
}
