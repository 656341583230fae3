import Glibc

/// A file or a folder with everything in it.
public nonisolated enum FileTree {
  /// Removes it without following a link, as far as this process may. Not for folders that other users can
  /// change: they could put something else in its place meanwhile.
  public static func remove(_ path: String, depth: Int = 64) {
    guard unlink(path) != 0, errno == EISDIR, rmdir(path) != 0, errno == ENOTEMPTY, depth > 0 else { return }
    for name in SourceFiles.names(in: path) ?? [] { remove("\(path)/\(name)", depth: depth - 1) }
    rmdir(path)
  }
}
