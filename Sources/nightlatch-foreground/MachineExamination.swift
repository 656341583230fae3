import Glibc
import LinuxPlatform
import SessionAgent

/// Looks at what all providers depend on: the daemon, its socket, its units, its folders, logind.
struct MachineExamination {
  let folders: Folders

  var findings: [Finding] {
    folderFindings + [daemon, socket, units, logind].compactMap { $0 }
  }

  /// Private, and whose: what nightlatchd would refuse to start with.
  private var folderFindings: [Finding] {
    [folders.state, folders.sessions, folders.tokens].compactMap { (path: String) -> Finding? in
      let status: FileStatus
      do throws(PlatformError) { status = try FileStatus(of: path) } catch {
        return error.isAbsence
          ? Finding(.warning, "folder", "\(path) is not there yet; nightlatchd makes it")
          : Finding(.failed, "folder", "\(path): \(error.reason); run this as the user of nightlatchd")
      }
      guard status.isFolder, status.uid == geteuid() || status.uid == 0 else {
        return Finding(
          .failed, "folder", "\(path) is no folder of ours; remove it, or give it to the user of nightlatchd")
      }
      return status.permissions & 0o077 == 0
        ? nil : Finding(.failed, "folder", "others may read or change \(path); run chmod go-rwx on it")
    }
  }

  private var daemon: Finding {
    do {
      try UnixSocket.probe(folders.controlSocket)
      return Finding(.ok, "daemon", "listens on \(folders.controlSocket)")
    } catch .system(let attempt, EACCES) {
      let error = PlatformError.system(attempt: attempt, errno: EACCES)
      return Finding(.failed, "daemon", "\(error); run this as the user of nightlatchd")
    } catch {
      let start =
        folders.mode == .system ? "systemctl start nightlatchd" : "systemctl --user start nightlatchd"
      return Finding(.failed, "daemon", "\(error); start it with: \(start)")
    }
  }

  private var socket: Finding? {
    guard let status = try? FileStatus(of: folders.controlSocket) else { return nil }
    let wanted: UInt32 = folders.mode == .system ? 0o666 : 0o600
    let mode = String(status.permissions, radix: 8)
    return status.permissions == wanted
      ? Finding(.ok, "socket", "mode \(mode)")
      : Finding(
        .warning, "socket",
        "its mode is \(mode) and not \(String(wanted, radix: 8)): some who may ask can't connect, or some who may not can; restart nightlatchd.socket"
      )
  }

  private var units: Finding {
    let name = "nightlatch-foreground@.service"
    let paths: [String] = unitFolders.map { "\($0)/\(name)" }
    if let path = paths.first(where: { access($0, F_OK) == 0 }) {
      return Finding(.ok, "units", path)
    }
    return Finding(
      .warning, "units",
      "\(name) is not installed: stopping nightlatchd would interrupt a refresh; run make install, then systemctl daemon-reload"
    )
  }

  /// systemd.unit(5), "Unit File Load Path".
  private var unitFolders: [String] {
    let scope = folders.mode == .system ? "system" : "user"
    let home = Account.current()?.home ?? ""
    let own =
      folders.mode == .system ? [] : ["\(home)/.config/systemd/user", "\(home)/.local/share/systemd/user"]
    return own + ["/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"].map { "\($0)/systemd/\(scope)" }
  }

  /// sd_login(3): without it nobody can be asked to hold a shutdown back.
  private var logind: Finding {
    access("/run/systemd/seats", F_OK) == 0
      ? Finding(.ok, "logind", "runs: a refresh can hold sleep and shutdown back")
      : Finding(
        .warning, "logind",
        "does not run: nothing holds sleep and shutdown back while a refresh is under way, and foreground = \"session\" never refreshes"
      )
  }
}
