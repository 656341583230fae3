import CSodium
import Glibc

/// The key that seals the stores.
struct SessionKey {
  static let length = Int(crypto_aead_xchacha20poly1305_ietf_KEYBYTES)
  static let identifierLength = 16
  static let credentialName = "nightlatch-session-key"

  let bytes: Secret

  /// Tells keys apart without revealing them: so that a store can say "another key" and not just
  /// "damaged".
  var identifier: [UInt8] {
    var identifier = [UInt8](repeating: 0, count: Self.identifierLength)
    let context = Array("nightlatch session key identifier".utf8)
    bytes.withPointer { key, count in
      _ = crypto_generichash(&identifier, identifier.count, context, UInt64(context.count), key, count)
    }
    return identifier
  }

  /// The key from the service manager; nil if it gave none.
  ///
  /// 32 bytes are the key itself; anything longer is hashed to one. Shorter ones are refused.
  static func credential(in folder: String?) throws(AgentError) -> SessionKey? {
    guard let folder else { return nil }
    let path = folder + "/" + credentialName
    guard let secret = try File.readSecret(path, limit: 4096, isPrivate: false) else { return nil }
    guard secret.count >= length else { throw .system(action: "use the key", path: path, code: EINVAL) }
    return secret.count == length ? SessionKey(bytes: secret) : SessionKey(bytes: derive(from: secret))
  }

  private static func derive(from secret: Secret) -> Secret {
    var key = [UInt8](repeating: 0, count: length)
    defer { File.wipe(&key) }
    secret.withPointer { source, count in
      _ = crypto_generichash(&key, key.count, source, UInt64(count), nil, 0)
    }
    return key.withUnsafeBytes { Secret($0) }
  }

  /// The key file; nil if there is none.
  static func file(_ path: String) throws(AgentError) -> SessionKey? {
    guard let secret = try File.readSecret(path, limit: length, isPrivate: true) else { return nil }
    guard secret.count == length else { throw .system(action: "use the key", path: path, code: EINVAL) }
    return SessionKey(bytes: secret)
  }

  /// Creates the key file, durably and only if there is none; another process may have been faster,
  /// then its key is returned.
  static func createFile(_ path: String) throws(AgentError) -> SessionKey {
    let temporary = "\(path).\(getpid())"
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .system(action: "create the key", path: temporary, code: errno) }
    defer {
      close(descriptor)
      unlink(temporary)
    }
    let code = Secret.random(count: length).withBytes { File.writeAll(descriptor, $0) }
    guard code == 0, fsync(descriptor) == 0 else {
      throw .system(action: "write the key", path: temporary, code: code == 0 ? errno : code)
    }
    // link, unlike rename, never replaces: an existing key is the only thing that opens a store.
    guard link(temporary, path) == 0 || errno == EEXIST else {
      throw .system(action: "create the key", path: path, code: errno)
    }
    try File.syncFolder(of: path)
    guard let key = try file(path) else { throw .system(action: "read the key", path: path, code: ENOENT) }
    return key
  }
}
