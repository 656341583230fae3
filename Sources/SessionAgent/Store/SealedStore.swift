import AuthModel
import CSodium

/// One provider's session on disk: `sessions/NAME.session`.
///
/// Shape: `NLSESSN`, a version byte, the machine's identity (16 bytes; zeros if it had none), the key's
/// identifier (16 bytes), a nonce (24 bytes), then the content of ``StoreEncoding`` under
/// XChaCha20-Poly1305. The seal also covers everything before the nonce and the provider's name, so that
/// one provider's file can't be passed off as another's, nor one machine's.
struct SealedStore {
  static let version: UInt8 = 2
  static let sizeLimit = 4 << 20
  /// Reserved before a spend: many times what tokens take. A larger answer is rescued if the disk is full.
  static let reservation = 64 << 10
  private static let magic = Array("NLSESSN".utf8)
  private static let machineOffset = magic.count + 1
  private static let headerLength = machineOffset + MachineIdentity.length + SessionKey.identifierLength
  private static let nonceLength = Int(crypto_aead_xchacha20poly1305_ietf_NPUBBYTES)
  private static let tagLength = Int(crypto_aead_xchacha20poly1305_ietf_ABYTES)

  var path: String
  let name: ProviderName
  let keyPath: String
  let credentialsFolder: String?
  let machine: MachineIdentity
  /// In the runtime folder; nil: nothing is rescued.
  var rescuePath: String?

  /// The session, which may be in the rescued copy. Never throws: that a store can't be read is a state of
  /// the session.
  func load() -> StoredSession { rescued.map { .present($0.session) } ?? loadFromDisk() }

  func loadFromDisk() -> StoredSession {
    do {
      guard let bytes = try File.read(path, limit: Self.sizeLimit, isPrivate: true) else { return .missing }
      return open(bytes, with: try keys())
    } catch {
      return .unreadable(.inaccessible("\(error)"))
    }
  }

  /// Those that exist, the one for new stores first.
  func keys() throws(AgentError) -> [SessionKey] {
    [try SessionKey.credential(in: credentialsFolder), try SessionKey.file(keyPath)].compactMap { $0 }
  }

  /// What the file holds, given its bytes.
  func open(_ bytes: [UInt8], with keys: [SessionKey]) -> StoredSession {
    guard bytes.starts(with: Self.magic) else { return .unreadable(.foreignFile) }
    guard bytes.count >= Self.headerLength + Self.nonceLength + Self.tagLength else {
      return .unreadable(.damaged)
    }
    let version = bytes[Self.magic.count]
    guard version == Self.version else { return .unreadable(.unknownVersion(version)) }
    let owner = MachineIdentity(bytes: Array(bytes[Self.machineOffset...].prefix(MachineIdentity.length)))
    guard machine != .unknown || owner == .unknown else {
      return .unreadable(.inaccessible("/etc/machine-id does not say yet which machine this is"))
    }
    guard owner == machine || owner == .unknown else { return .unreadable(.otherMachine) }
    guard !keys.isEmpty else { return .unreadable(.missingKey) }
    let header = bytes[..<Self.headerLength]
    guard
      let key = keys.first(where: { header.suffix(SessionKey.identifierLength).elementsEqual($0.identifier) })
    else { return .unreadable(.wrongKey) }
    let nonce = Array(bytes[Self.headerLength...].prefix(Self.nonceLength))
    let sealed = Array(bytes.dropFirst(Self.headerLength + Self.nonceLength))
    return decrypt(sealed, nonce: nonce, header: Array(header), key: key) ?? .unreadable(.damaged)
  }

  private func decrypt(_ sealed: [UInt8], nonce: [UInt8], header: [UInt8], key: SessionKey) -> StoredSession?
  {
    var content = [UInt8](repeating: 0, count: sealed.count)
    defer { File.wipe(&content) }
    var length: UInt64 = 0
    let bound = header + Array(name.description.utf8)
    let failed = key.bytes.withPointer { key, _ in
      crypto_aead_xchacha20poly1305_ietf_decrypt(
        &content, &length, nil, sealed, UInt64(sealed.count), bound, UInt64(bound.count), nonce, key)
    }
    guard failed == 0, length <= UInt64(content.count) else { return nil }
    return content.withUnsafeBytes {
      StoreEncoding.decode(UnsafeRawBufferPointer(rebasing: $0.prefix(Int(length))))
    }
  }

  /// The file's bytes for a content. Creates the key file if there is no key at all.
  func seal(_ content: Secret) throws(AgentError) -> [UInt8] {
    let key: SessionKey
    if let existing = try keys().first { key = existing } else { key = try SessionKey.createFile(keyPath) }
    let header = Self.magic + [Self.version] + machine.bytes + key.identifier
    let bound = header + Array(name.description.utf8)
    var nonce = [UInt8](repeating: 0, count: Self.nonceLength)
    randombytes_buf(&nonce, nonce.count)
    var sealed = [UInt8](repeating: 0, count: content.count + Self.tagLength)
    var length: UInt64 = 0
    let failed = content.withPointer { content, count in
      key.bytes.withPointer { key, _ in
        crypto_aead_xchacha20poly1305_ietf_encrypt(
          &sealed, &length, content, UInt64(count), bound, UInt64(bound.count), nil, nonce, key)
      }
    }
    guard failed == 0 else { throw .cryptography(action: "seal the session of \(name)") }
    return header + nonce + sealed.prefix(Int(length))
  }

  func reserve() throws(AgentError) -> ReservedFile {
    try ReservedFile(replacing: path, size: Self.reservation)
  }

  /// Replaces the store durably.
  func replace(_ content: Secret, in file: ReservedFile) throws(AgentError) {
    try file.commit(try seal(content))
    dropRescued()
  }
}
