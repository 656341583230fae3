import Configuration
import Glibc
import LinuxPlatform

/// This machine, asked for what configuration files name: it is looked for as the daemon and the agent will.
struct Machine {
  private let isUsersOwn: Bool

  init(for mode: Folders.Mode) { isUsersOwn = mode == .user }

  func look(for reference: Reference) -> Sighting {
    switch reference {
    case .runsAs(let name): account(toRunAs: name)
    case .user(let name): isKnown(user: name) ? .found : .missing("this machine has no user \"\(name)\"")
    case .group(let name):
      getgrnam(name) != nil || UInt32(name) != nil
        ? .found : .missing("this machine has no group \"\(name)\"")
    case .folder(let path): folder(path)
    case .program(let name, let searchPath, let user): program(name, searchPath, user)
    case .file(let path): file(path)
    case .secret(let path): secret(path)
    case .credential(let name): credential(name)
    }
  }

  // MARK: - Accounts

  private func isKnown(user name: String) -> Bool {
    (try? Account(named: name)) != nil || UInt32(name) != nil
  }

  private func account(toRunAs name: String) -> Sighting {
    guard let account = try? Account(named: name) else {
      return .missing("this machine has no user \"\(name)\", and no run can start")
    }
    return isUsersOwn && account.uid != geteuid()
      ? .missing("only the system's daemon can start runs as \"\(name)\", not your own") : .found
  }

  // MARK: - Files

  private func folder(_ path: String) -> Sighting {
    guard let status = FileStatus(following: path) else { return absence(errno, of: "folder \"\(path)\"") }
    return status.isFolder ? .found : .missing("\"\(path)\" is no folder")
  }

  private func file(_ path: String) -> Sighting {
    guard let status = FileStatus(following: path) else { return absence(errno, of: "file \"\(path)\"") }
    return status.isRegular ? .found : .missing("\"\(path)\" is no file")
  }

  /// As the agent reads it.
  private func secret(_ path: String) -> Sighting {
    guard let status = FileStatus(following: path) else { return absence(errno, of: "such file") }
    if !status.isRegular { return .missing("that is no file") }
    if status.permissions & 0o077 != 0 {
      return .missing(
        "others than its owner may use the file, so it will be refused; take that away with chmod go=")
    }
    guard status.uid == 0 || isUsersOwn && status.uid == geteuid() else {
      return .missing(
        "the file belongs to user number \(status.uid), so it will be refused; "
          + (isUsersOwn ? "you or root have to own it" : "root has to own it"))
    }
    return status.size > 0 ? .found : .missing("the file is empty")
  }

  /// systemd.exec(5), `LoadCredential=`: the stores that it looks in when a unit names no path.
  private func credential(_ name: String) -> Sighting {
    let stores = ["/etc", "/run", "/usr/lib"].flatMap { ["\($0)/credstore", "\($0)/credstore.encrypted"] }
    return stores.contains { FileStatus(following: "\($0)/\(name)") != nil }
      ? .found
      : .hidden(
        "no credential store has one of that name; whether the agent's units hand it over can't be seen")
  }

  private func absence(_ code: Int32, of what: String) -> Sighting {
    code == ENOENT || code == ENOTDIR
      ? .missing("this machine has no \(what)")
      : .hidden("whether it is there can't be seen: \(String(cString: strerror(code)))")
  }

  // MARK: - Programs

  private func program(_ name: String, _ searchPath: String?, _ user: String?) -> Sighting {
    do {
      _ = try Executable.resolve(name, searchPath: searchPath, folder: nil, account: account(running: user))
      return .found
    } catch .commandNotFound(let name, let searched) {
      return closedFolder(in: searched ?? "", hiding: name).map {
        .hidden("whether it is there can't be seen: this user may not look into \($0)")
      } ?? .missing("this machine has no program \"\(name)\"\(searched.map { " in \($0)" } ?? "")")
    } catch .notExecutable(let path, let user) {
      return .missing("\"\(path)\" is not executable" + (user.map { " for user \"\($0)\"" } ?? ""))
    } catch .system(_, let code) {
      return absence(code, of: "program \"\(name)\"")
    } catch {
      return .missing("\(error)")
    }
  }

  /// Who will execute it; nil: whoever runs this. A user that does not exist was reported as such.
  private func account(running user: String?) -> Account? {
    if let user, let account = try? Account(named: user) { return account }
    return isUsersOwn ? nil : Account(uid: 0)
  }

  private func closedFolder(in searchPath: String, hiding name: String) -> Substring? {
    searchPath.split(separator: ":").first {
      FileStatus(following: "\($0)/\(name)") == nil && errno == EACCES
    }
  }
}
