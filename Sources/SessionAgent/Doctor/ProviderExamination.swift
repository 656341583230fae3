public import AuthModel
import Glibc
import Scheduling

/// Looks at everything that one provider's session depends on, and changes and spends nothing.
///
/// Takes no lock and creates no file. What it asks of the server are GET requests, without any token.
public struct ProviderExamination {
  let provider: ProviderDefinition
  private let places: SessionPlaces
  let client: HTTPClient
  private let store: SealedStore
  private let longestDelay: Duration?

  private static let leastSpace: UInt64 = 1 << 20
  private static let littleSpace: UInt64 = 64 << 20

  /// - Parameter longestDelay: how long sleep and shutdown can be held up; nil if nobody says.
  public init(
    _ provider: ProviderDefinition, places: SessionPlaces, hold: SignalHold, longestDelay: Duration? = nil
  ) throws(AgentError) {
    self.longestDelay = longestDelay
    self.provider = provider
    self.places = places
    client = HTTPClient(hold: hold, transport: provider.transport, credentialsFolder: places.credentials)
    store = SealedStore(
      path: places.file(provider.name, "session"), name: provider.name, keyPath: places.keyPath,
      credentialsFolder: places.credentials, machine: try MachineIdentity(of: places.machineIDPath),
      rescuePath: places.rescueFile(provider.name))
  }

  /// In the order in which one depends on the other.
  public func findings() -> [Finding] {
    var findings = [space, key, session, rescue, quarantine, spend, lock, delay, secret].compactMap { $0 }
    var endpoints = provider.endpoints
    switch provider.kind {
    case .command(let command): return findings + [program(command)]
    case .tokenFile(let path, let lifetime):
      return findings + [tokenFile(RotatedFile(path: path, lifetime: lifetime))]
    case .oidc(let issuer): findings += discovery(issuer, &endpoints)
    case .oauth2, .privy: break
    }
    return findings + answers(of: endpoints)
  }
}

// MARK: - On this machine

extension ProviderExamination {
  private var space: Finding? {
    var status = statvfs()
    guard statvfs(places.sessionsFolder, &status) == 0 else {
      if errno == ENOENT {
        return Finding(
          .warning, "store",
          "\(places.sessionsFolder) is not there yet; it comes with the first start of nightlatchd")
      }
      return Finding(
        .failed, "store",
        "\(places.sessionsFolder) can't be looked at: \(String(cString: strerror(errno))); run this as the user of nightlatchd"
      )
    }
    let (left, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    let free = overflow ? UInt64.max : left
    let detail = "\(free >> 20) MiB are free in \(places.sessionsFolder)"
    if free < Self.leastSpace {
      return Finding(
        .failed, "disk space",
        "\(detail): nothing is refreshed before there is room for the next token; free some")
    }
    return free < Self.littleSpace
      ? Finding(.warning, "disk space", "\(detail): free some") : Finding(.ok, "disk space", detail)
  }

  private var key: Finding? {
    do {
      if try SessionKey.credential(in: places.credentials) != nil {
        return Finding(.ok, "key", "the service manager's credential \(SessionKey.credentialName)")
      }
      if try SessionKey.file(places.keyPath) != nil {
        return Finding(.ok, "key", "\(places.keyPath), readable by its owner alone")
      }
      return Finding(
        .warning, "key",
        "there is none here; the first login makes \(places.keyPath), unless the units get the credential \(SessionKey.credentialName)"
      )
    } catch {
      return Finding(.failed, "key", "\(error)")
    }
  }

  private var session: Finding? {
    switch store.load() {
    case .missing where provider.isSupplied:
      return Finding(.ok, "session", "no token was taken yet; the first foreground phase takes one")
    case .missing:
      return Finding(.warning, "session", "nobody has logged in; run 'nightlatch login \(provider.name)'")
    case .ended(let tombstone):
      return Finding(
        .warning, "session", "there is none (\(tombstone.reason)); run 'nightlatch login \(provider.name)'")
    case .unreadable(let reason): return Finding(.failed, "session", "the store can't be used: \(reason)")
    case .present(let record):
      guard record.refreshToken != nil || provider.isSupplied else {
        return Finding(
          .warning, "session",
          "\(record.user.id)'s, but without a refresh token: it ends with its access token; ask for the scope offline_access"
        )
      }
      guard !record.isRefreshTokenSpent else {
        return Finding(
          .warning, "session",
          "\(record.user.id)'s, but the server handed out a refresh token that was spent before: the next refresh will probably be refused; run 'nightlatch login \(provider.name)'"
        )
      }
      return Finding(.ok, "session", "\(record.user.id)'s, sealed and readable")
    }
  }

  private var rescue: Finding? {
    guard store.rescued != nil else { return nil }
    return Finding(
      .warning, "rescue",
      "the newest tokens are only in memory, a reboot would lose them; see whether the disk can be written")
  }

  private var quarantine: Finding? {
    guard access(places.file(provider.name, "quarantine"), F_OK) == 0 else { return nil }
    return Finding(
      .warning, "quarantine", "tokens of another identity were put aside; log in or out to revoke them")
  }

  private var spend: Finding? {
    guard case .present(let record) = store.load(), let token = record.refreshToken else { return nil }
    let path = places.file(provider.name, "journal")
    do {
      let history = try SpendJournal.read(path, generation: record.generation, token: TokenHash(of: token))
      if let reason = history.parked {
        return Finding(
          .failed, "spends",
          "the refresh token is not sent any more (\(reason.rawValue)); run 'nightlatch login \(provider.name)'"
        )
      }
      return history.isAmbiguous
        ? Finding(
          .warning, "spends",
          "nobody knows what became of the refresh token that was sent last; the next refresh finds out")
        : Finding(.ok, "spends", "none is open")
    } catch {
      return Finding(.failed, "spends", "\(error)")
    }
  }

  /// Looks without taking it for longer than the look.
  private var lock: Finding? {
    let path = places.file(provider.name, "lock")
    let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else {
      return errno == ENOENT
        ? nil : Finding(.failed, "lock", "\(path) can't be opened: \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    if flock(descriptor, LOCK_SH | LOCK_NB) == 0 { return Finding(.ok, "lock", "free") }
    return Finding(
      .warning, "lock",
      "\(holder(of: descriptor)) is at work for this provider; whoever wants to refresh waits for it")
  }

  /// Whether a shutdown waits as long as a request may take: the answer may hold the only refresh token.
  private var delay: Finding? {
    if case .tokenFile = provider.kind { return nil }
    guard let longestDelay else { return nil }
    let (held, taken) = (longestDelay.timeSpan, provider.requestTimeout.timeSpan)
    guard longestDelay < provider.requestTimeout else {
      return Finding(.ok, "shutdown", "waits up to \(held) for a request, which takes \(taken) at most")
    }
    return Finding(
      .warning, "shutdown",
      "logind waits only \(held) for a request that may take \(taken) (request_timeout): write the lines [Login] and InhibitDelayMaxSec=\(taken) to /etc/systemd/logind.conf.d/nightlatch.conf, then run systemctl kill --signal=HUP systemd-logind"
    )
  }

  /// proc_locks(5): `1: FLOCK  ADVISORY  WRITE 4711 08:01:1234 0 EOF`.
  private func holder(of descriptor: Int32) -> String {
    var status = stat()
    guard fstat(descriptor, &status) == 0, let bytes = try? File.read("/proc/locks", limit: 4 << 20) else {
      return "another process"
    }
    let inode = ":\(status.st_ino)"
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count > 5, words[1] == "FLOCK", words[5].hasSuffix(inode) else { continue }
      return "process \(words[4])"
    }
    return "another process"
  }

  private var secret: Finding? {
    if case .none = provider.clientAuthentication { return nil }
    do {
      _ = try ClientCredentials(provider, credentialsFolder: places.credentials)
      return Finding(.ok, "client authentication", "what it needs can be read")
    } catch {
      return Finding(.failed, "client authentication", "\(error)")
    }
  }
}

// MARK: - At the program or file that supplies tokens

extension ProviderExamination {
  /// Not run: that would be taking a token.
  private func program(_ command: [String]) -> Finding {
    let name = command.first ?? ""
    var reason = ENOENT
    for path in Self.candidates(for: name) {
      var status = stat()
      if stat(path, &status) != 0 || access(path, X_OK) != 0 {
        // As execvp(3): one that is there and can't be run is worth more telling than one that is not.
        if errno != ENOENT { reason = errno }
      } else if status.st_mode & S_IFMT == S_IFREG {
        return Finding(.ok, "command", "\(path) can be run")
      } else {
        reason = EACCES
      }
    }
    return Finding(.failed, "command", "\(name) can't be run: \(String(cString: strerror(reason)))")
  }

  /// A name without a slash is looked up as posix_spawnp(3) does.
  private static func candidates(for name: String) -> [String] {
    guard !name.isEmpty, !name.contains("/") else { return [name] }
    let search = getenv("PATH").map { String(cString: $0) } ?? "/bin:/usr/bin"
    return search.split(separator: ":", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? name : "\($0)/\(name)" }
  }

  private func tokenFile(_ file: RotatedFile) -> Finding {
    let supply = file.supply(at: SystemClock.wall)
    return Finding(supply.verdict == .success ? .ok : .failed, "token file", supply.detail)
  }
}
