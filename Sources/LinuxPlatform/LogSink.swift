import CSystemd
import Glibc

/// Where log entries go.
public nonisolated enum LogSink: Sendable, Equatable {
  /// journald, with all fields.
  case journal(identifier: String)
  /// A line each on a descriptor.
  case terminal(fd: Int32, color: Bool)

  /// The journal when standard error already goes there (`JOURNAL_STREAM`, systemd.exec(5), names the
  /// device and inode of its socket), the terminal otherwise.
  public static func detect(identifier: String) -> LogSink {
    isJournal(2) ? .journal(identifier: identifier) : .terminal(fd: 2, color: wantsColor(2))
  }

  public func write(_ entry: LogEntry) {
    switch self {
    case .journal(let identifier):
      // journald away or overloaded: standard error is better than nothing.
      if !Self.send(entry.assignments(identifier: identifier)) { Self.put(entry.line(color: false), 2) }
    case .terminal(let fd, let color): Self.put(entry.line(color: color), fd)
    }
  }

  static func isJournal(_ fd: Int32) -> Bool {
    guard let name = getenv("JOURNAL_STREAM") else { return false }
    var status = stat()
    guard fstat(fd, &status) == 0 else { return false }
    return String(cString: name) == "\(status.st_dev):\(status.st_ino)"
  }

  /// https://no-color.org
  static func wantsColor(_ fd: Int32) -> Bool {
    isatty(fd) == 1 && getenv("NO_COLOR").map { $0.pointee == 0 } ?? true
  }

  private static func send(_ assignments: [[UInt8]]) -> Bool {
    // Without journald sd_journal_sendv(3) drops the entry and reports success.
    guard access("/run/systemd/journal/socket", F_OK) == 0 else { return false }
    // One buffer, so that all pointers are valid at once.
    var bytes = assignments.flatMap { $0 }
    return bytes.withUnsafeMutableBytes { buffer in
      var offset = 0
      let vectors = assignments.map { assignment in
        defer { offset += assignment.count }
        return iovec(iov_base: buffer.baseAddress?.advanced(by: offset), iov_len: assignment.count)
      }
      return sd_journal_sendv(vectors, Int32(vectors.count)) == 0
    }
  }

  private static func put(_ line: String, _ fd: Int32) {
    var rest = Array(line.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(fd, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      // A log that can't be written has nowhere to say so.
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
