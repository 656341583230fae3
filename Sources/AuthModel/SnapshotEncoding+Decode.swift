import Scheduling

extension SnapshotEncoding {
  /// The snapshot that `bytes` begin with; what follows it is not looked at.
  ///
  /// Any bytes at all may be given: `.unknownVersion` when they are an intact snapshot of another
  /// version, `.damagedSnapshot` when they are no snapshot. A last attempt of an outcome that only a newer writer
  /// knows is left out: no auth state depends on it.
  public static func decode(_ bytes: [UInt8]) -> SnapshotReading {
    guard var image = SnapshotImage(intact: bytes) else { return .notReady(.damagedSnapshot) }
    guard image.version == version else { return .notReady(.unknownVersion) }
    guard image.bytes.count == byteCount else { return .notReady(.damagedSnapshot) }
    clearUnknownAttempt(in: &image)
    guard let snapshot = snapshot(in: image),
      encode(snapshot) == image.bytes  // nothing where nothing should be
    else { return .notReady(.damagedSnapshot) }
    return .snapshot(snapshot)
  }

  private static func clearUnknownAttempt(in image: inout SnapshotImage) {
    let flags = Flags(rawValue: image.byte(at: Offset.flags))
    guard flags.contains(.attempt), AttemptClass(rawValue: image.byte(at: Offset.outcome)) == nil else {
      return
    }
    image.put(flags.subtracting([.attempt, .retryAfter]).rawValue, at: Offset.flags)
    for (offset, width) in [
      (Offset.outcome, 1), (Offset.failures, 4), (Offset.ended, 16), (Offset.retryAfter, 8),
      (Offset.endedBootID, Width.bootID), (Offset.detail, Width.detail),
    ] {
      image.clear(at: offset, width: width)
    }
    image.put(image.checksum, at: Offset.checksum)
  }

  private static func snapshot(in image: SnapshotImage) -> Snapshot? {
    let flags = Flags(rawValue: image.byte(at: Offset.flags))
    guard let published = image.moment(at: Offset.published, bootIDAt: Offset.publishedBootID),
      let session = session(in: image, flags: flags),
      let spend = Snapshot.Spend(rawValue: image.byte(at: Offset.spend))
    else { return nil }
    var snapshot = Snapshot(
      generation: image.integer(at: Offset.generation), published: published, session: session,
      spend: spend)
    if flags.contains(.attempt) {
      guard let attempt = attempt(in: image, flags: flags) else { return nil }
      snapshot.lastAttempt = attempt
    }
    return snapshot
  }

  private static func session(in image: SnapshotImage, flags: Flags) -> Snapshot.Session? {
    switch SessionKind(rawValue: image.byte(at: Offset.session)) {
    case .absent: UnauthenticatedReason(rawValue: image.byte(at: Offset.absentReason)).map { .absent($0) }
    case .present: present(in: image, flags: flags).map { .present($0) }
    case .unreadable: .unreadable
    case nil: nil
    }
  }

  private static func present(in image: SnapshotImage, flags: Flags) -> Snapshot.Present? {
    guard let user = user(in: image, flags: flags),
      let obtained = image.moment(at: Offset.obtained, bootIDAt: Offset.obtainedBootID),
      let verifiedIn = image.string(at: Offset.verifiedBootID, width: Width.bootID)
    else { return nil }
    let refreshLifetime: UInt32 = image.integer(at: Offset.refreshLifetime)
    return Snapshot.Present(
      user: user, tokenGeneration: image.integer(at: Offset.tokenGeneration), obtained: obtained,
      lifetime: flags.contains(.lifetime) ? image.duration(at: Offset.lifetime) : nil,
      skew: image.duration(at: Offset.skew),
      verifiedIn: flags.contains(.verified) ? BootID(verifiedIn) : nil,
      refreshLifetime: flags.contains(.refreshLifetime) ? .seconds(Int64(refreshLifetime)) : nil)
  }

  private static func user(in image: SnapshotImage, flags: Flags) -> User? {
    guard let id = image.string(at: Offset.userID, width: Width.userID),
      let name = image.string(at: Offset.userName, width: Width.userName),
      let email = image.string(at: Offset.userEmail, width: Width.userEmail),
      let username = image.string(at: Offset.username, width: Width.username),
      let lines = image.string(at: Offset.linkedAccounts, width: Width.linkedAccounts),
      let accounts = LinkedAccount.accounts(in: lines)
    else { return nil }
    return User(
      id: id, name: flags.contains(.userName) ? name : nil, email: flags.contains(.userEmail) ? email : nil,
      username: flags.contains(.username) ? username : nil, linkedAccounts: accounts)
  }

  private static func attempt(in image: SnapshotImage, flags: Flags) -> Snapshot.Attempt? {
    guard let outcome = AttemptClass(rawValue: image.byte(at: Offset.outcome)),
      let ended = image.moment(at: Offset.ended, bootIDAt: Offset.endedBootID),
      let detail = image.string(at: Offset.detail, width: Width.detail)
    else { return nil }
    return Snapshot.Attempt(
      outcome: outcome, ended: ended,
      retryAfter: flags.contains(.retryAfter) ? image.duration(at: Offset.retryAfter) : nil,
      failures: image.integer(at: Offset.failures), detail: detail)
  }
}
