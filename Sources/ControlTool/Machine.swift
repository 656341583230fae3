import Configuration
import Glibc
import LinuxPlatform

/// This machine, asked for what configuration files name: it is looked for as the daemon and the agent will.
struct Machine {
  private let isUsersOwn: Bool
  private let credentialStores: [String]

  init(for mode: Folders.Mode, credentialStores: [String] = Self.credentialStores) {
    isUsersOwn = mode == .user
    self.credentialStores = credentialStores
  }

  /// systemd.exec(5), `LoadCredential=`: the stores that it looks in when a unit names no path.
  static let credentialStores = ["/etc", "/run", "/usr/lib"].flatMap {
    ["\($0)/credstore", "\($0)/credstore.encrypted"]
  }

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
    look(at: path, called: "folder \"\(path)\"") {
      $0.isFolder ? .found : .missing("\"\(path)\" is no folder")
    }
  }

  private func file(_ path: String) -> Sighting {
    look(at: path, called: "file \"\(path)\"") { $0.isRegular ? .found : .missing("\"\(path)\" is no file") }
  }

  /// As the agent reads it.
  private func secret(_ path: String) -> Sighting { look(at: path, called: "such file", secret) }

  private func secret(_ status: FileStatus) -> Sighting {
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

  private func credential(_ name: String) -> Sighting {
    credentialStores.contains { (try? FileStatus(following: "\($0)/\(name)")) != nil }
      ? .found
      : .hidden(
        "no credential store has one of that name; whether the agent's units hand it over can't be seen")
  }

  private func look(
    at path: String, called what: String, _ judge: (FileStatus) -> Sighting
  ) -> Sighting {
    do { return judge(try FileStatus(following: path)) } catch { return absence(of: what, because: error) }
  }

  private func absence(of what: String, because error: PlatformError) -> Sighting {
    error.isAbsence
      ? .missing("this machine has no \(what)")
      : .hidden("whether it is there can't be seen: \(error.reason)")
  }

  // MARK: - Programs

  private func program(_ name: String, _ searchPath: String?, _ user: String?) -> Sighting {
    do {
      _ = try Executable.resolve(name, searchPath: searchPath, folder: nil, account: account(running: user))
      return .found
    } catch {
      switch error {
      case .commandNotFound(let name, let searched):
        return closedFolder(in: searched ?? "", hiding: name).map {
          .hidden("whether it is there can't be seen: this user may not look into \($0)")
        } ?? .missing("this machine has no program \"\(name)\"\(searched.map { " in \($0)" } ?? "")")
      case .notExecutable(let path, let user):
        return .missing("\"\(path)\" is not executable" + (user.map { " for user \"\($0)\"" } ?? ""))
      case .system: return absence(of: "program \"\(name)\"", because: error)
      default: return .missing("\(error)")
      }
    }
  }

  /// Who will execute it; nil: whoever runs this. A user that does not exist was reported as such.
  private func account(running user: String?) -> Account? {
    if let user, let account = try? Account(named: user) { return account }
    return isUsersOwn ? nil : Account(uid: 0)
  }

  private func closedFolder(in searchPath: String, hiding name: String) -> Substring? {
    searchPath.split(separator: ":").first { isClosed("\($0)/\(name)") }
  }

  private func isClosed(_ path: String) -> Bool {
    do { _ = try FileStatus(following: path) } catch {
      if case .system(_, EACCES) = error { return true }
    }
    return false
  }
}
