import Glibc

/// Finds the file behind a command, and says why not before anything is started: behind a change of
/// user execve(2)'s own error would be lost.
public nonisolated enum Executable {
  static let defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

  /// The path to execute for `name`: itself when it has a slash (relative to `folder`), else the
  /// first hit in `searchPath`. `account` is the user that will execute it; nil: this process.
  public static func resolve(
    _ name: String, searchPath: String?, folder: String?, account: Account?
  ) throws(PlatformError) -> String {
    guard !name.isEmpty else { throw .unrepresentable(what: "the command", why: "it is empty") }
    if name.contains("/") {
      let path = name.hasPrefix("/") || folder == nil ? name : "\(folder ?? ".")/\(name)"
      let status: FileStatus
      do { status = try FileStatus(following: path, to: "start '\(path)'") } catch {
        throw error.isAbsence ? .commandNotFound(path, searched: nil) : error
      }
      guard mayExecute(path, status, account) else {
        throw .notExecutable(path, user: account?.name)
      }
      return path
    }
    let searched = searchPath ?? defaultPath
    var refused: String?
    for folder in searched.split(separator: ":") where folder.hasPrefix("/") {
      let path = "\(folder)/\(name)"
      guard let status = try? FileStatus(following: path) else { continue }
      if mayExecute(path, status, account) { return path }
      if status.isRegular { refused = refused ?? path }
    }
    if let refused { throw .notExecutable(refused, user: account?.name) }
    throw .commandNotFound(name, searched: searched)
  }

  private static func mayExecute(_ path: String, _ status: FileStatus, _ account: Account?) -> Bool {
    guard status.isRegular else { return false }
    guard let account else { return access(path, X_OK) == 0 }
    return account.mayExecute(status)
  }
}
