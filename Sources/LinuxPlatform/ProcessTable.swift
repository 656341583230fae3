import Glibc

/// What proc(5) says of processes.
public nonisolated enum ProcessTable {
  public struct Entry: Hashable, Sendable {
    public var parent: Int32
    public var group: Int32
    public var session: Int32
    public var startTicks: UInt64
    public var isZombie: Bool
  }

  /// Parses `/proc/PID/stat`; nil when there is no such process.
  public static func entry(of pid: Int32) -> Entry? {
    guard let text = try? SourceFiles.text(of: "/proc/\(pid)/stat", limit: 4096) else { return nil }
    return parse(text)
  }

  static func startTicks(of pid: Int32) -> UInt64? { entry(of: pid)?.startTicks }

  /// The command in field 2 may itself hold spaces and brackets: the last bracket ends it.
  static func parse(_ text: String) -> Entry? {
    guard let end = text.lastIndex(of: ")") else { return nil }
    let fields = text[text.index(after: end)...].split(whereSeparator: \.isWhitespace)
    // fields[0] is field 3 of proc(5).
    guard fields.count > 19, let parent = Int32(fields[1]), let group = Int32(fields[2]),
      let session = Int32(fields[3]), let startTicks = UInt64(fields[19])
    else { return nil }
    return Entry(
      parent: parent, group: group, session: session, startTicks: startTicks,
      isZombie: fields[0] == "Z" || fields[0] == "X")
  }

  /// This process's children, those reparented to it among them.
  static func children() -> [Int32] {
    guard let threads = SourceFiles.names(in: "/proc/self/task") else { return [] }
    var children: [Int32] = []
    for thread in threads {
      let path = "/proc/self/task/\(thread)/children"
      guard let text = try? SourceFiles.text(of: path, limit: 16 << 20) else {
        // Kernels without CONFIG_PROC_CHILDREN; or the thread has just ended.
        if access("/proc/self/task/\(getpid())/children", F_OK) == 0 { continue }
        return all().filter { entry(of: $0)?.parent == getpid() }
      }
      children += text.split(separator: " ").compactMap { Int32($0) }
    }
    return children
  }

  static func all() -> [Int32] { (SourceFiles.names(in: "/proc") ?? []).compactMap { Int32($0) } }

  /// Whether the process was started with all of these `NAME=value` assignments. nil when its
  /// environment can't be read or is empty (zombies, other users' processes).
  static func environment(of pid: Int32, holds assignments: [String]) -> Bool? {
    guard let bytes = try? SourceFiles.bytes(of: "/proc/\(pid)/environ", limit: 4 << 20), !bytes.isEmpty
    else { return nil }
    let entries = bytes.split(separator: 0)
    return assignments.allSatisfy { wanted in entries.contains { $0.elementsEqual(wanted.utf8) } }
  }

  /// The process ids from `pid` up to init: for telling which run a control client belongs to.
  public static func ancestors(of pid: Int32) -> [Int32] {
    var chain: [Int32] = []
    var next = pid
    while next > 1, chain.count < 128, let entry = entry(of: next) {
      chain.append(next)
      next = entry.parent
    }
    return chain
  }

  /// The session that the process belongs to: a run's main process leads its own.
  public static func session(of pid: Int32) -> Int32? { entry(of: pid)?.session }
}
