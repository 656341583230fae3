import Scheduling

extension SnapshotEncoding {
  /// The snapshot's ``byteCount`` bytes.
  public static func encode(_ snapshot: Snapshot) -> [UInt8] {
    var image = SnapshotImage()
    image.put(magic, at: Offset.magic)
    image.put(version, at: Offset.version)
    image.put(UInt32(byteCount), at: Offset.length)
    image.put(snapshot.generation, at: Offset.generation)
    image.put(snapshot.published, at: Offset.published, bootIDAt: Offset.publishedBootID)
    image.put(snapshot.spend.rawValue, at: Offset.spend)
    var flags: Flags = []
    put(snapshot.session, into: &image, flags: &flags)
    put(snapshot.lastAttempt, into: &image, flags: &flags)
    image.put(flags.rawValue, at: Offset.flags)
    image.put(image.checksum, at: Offset.checksum)
    return image.bytes
  }

  private static func put(
    _ session: Snapshot.Session, into image: inout SnapshotImage, flags: inout Flags
  ) {
    switch session {
    case .unreadable: image.put(SessionKind.unreadable.rawValue, at: Offset.session)
    case .absent(let reason):
      image.put(SessionKind.absent.rawValue, at: Offset.session)
      image.put(reason.rawValue, at: Offset.absentReason)
    case .present(let present):
      image.put(SessionKind.present.rawValue, at: Offset.session)
      put(present, into: &image, flags: &flags)
    }
  }

  private static func put(
    _ present: Snapshot.Present, into image: inout SnapshotImage, flags: inout Flags
  ) {
    put(present.user, into: &image, flags: &flags)
    image.put(present.tokenGeneration, at: Offset.tokenGeneration)
    image.put(present.obtained, at: Offset.obtained, bootIDAt: Offset.obtainedBootID)
    image.put(present.skew.wholeMicroseconds, at: Offset.skew)
    if let lifetime = present.lifetime {
      flags.insert(.lifetime)
      image.put(lifetime.wholeMicroseconds, at: Offset.lifetime)
    }
    if let lifetime = present.refreshLifetime {
      flags.insert(.refreshLifetime)
      image.put(UInt32(clamping: lifetime.components.seconds), at: Offset.refreshLifetime)
    }
    if let bootID = present.verifiedIn {
      flags.insert(.verified)
      image.put(bootID.description, at: Offset.verifiedBootID, width: Width.bootID)
    }
  }

  private static func put(_ user: User, into image: inout SnapshotImage, flags: inout Flags) {
    image.put(user.id, at: Offset.userID, width: Width.userID)
    if let name = user.name {
      flags.insert(.userName)
      image.put(name, at: Offset.userName, width: Width.userName)
    }
    if let email = user.email {
      flags.insert(.userEmail)
      image.put(email, at: Offset.userEmail, width: Width.userEmail)
    }
    if let username = user.username {
      flags.insert(.username)
      image.put(username, at: Offset.username, width: Width.username)
    }
    let accounts = LinkedAccount.text(user.linkedAccounts, limit: Width.linkedAccounts - 2)
    image.put(accounts, at: Offset.linkedAccounts, width: Width.linkedAccounts)
  }

  private static func put(
    _ attempt: Snapshot.Attempt?, into image: inout SnapshotImage, flags: inout Flags
  ) {
    guard let attempt else { return }
    flags.insert(.attempt)
    image.put(attempt.outcome.rawValue, at: Offset.outcome)
    image.put(attempt.failures, at: Offset.failures)
    image.put(attempt.ended, at: Offset.ended, bootIDAt: Offset.endedBootID)
    image.put(attempt.detail, at: Offset.detail, width: Width.detail)
    if let retryAfter = attempt.retryAfter {
      flags.insert(.retryAfter)
      image.put(retryAfter.wholeMicroseconds, at: Offset.retryAfter)
    }
  }
}
