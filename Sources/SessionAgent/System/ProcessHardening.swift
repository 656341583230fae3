import CLinux
import Glibc

/// What keeps a process's secrets its own.
public enum ProcessHardening {
  /// No core dump, no ptrace, and new files for their owner alone. To be called first in `main`.
  public static func apply() throws(AgentError) {
    umask(0o077)
    guard nl_forbid_dumps() == 0 else {
      throw .system(action: "forbid core dumps of", path: "this process", code: errno)
    }
  }
}
