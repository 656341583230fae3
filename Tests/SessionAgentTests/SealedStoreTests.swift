import AuthModel
import Glibc
import Scheduling
import Testing

@testable import SessionAgent

@Suite struct SealedStoreTests {
  private let folder: TemporaryFolder
  private let store: SealedStore

  init() throws {
    folder = try TemporaryFolder()
    store = SealedStore(
      path: folder.path + "/p.session", name: ProviderName("p"), keyPath: folder.path + "/key",
      credentialsFolder: nil, machine: Self.here)
  }

  private static let here = MachineIdentity(bytes: Array(1...16))

  private func put(_ content: Secret, in store: SealedStore) throws {
    try store.replace(content, in: try store.reserve())
  }

  private func reason(_ stored: StoredSession) -> UnreadableReason? {
    if case .unreadable(let reason) = stored { reason } else { nil }
  }

  private func record(_ stored: StoredSession) -> SessionRecord? {
    if case .present(let record) = stored { record } else { nil }
  }

  @Test func `a session comes back as it was`() throws {
    var record = SessionRecord.sample()
    record.refreshLifetime = .seconds(2_592_000)
    record.isRefreshTokenSpent = true
    try put(StoreEncoding.encode(record), in: store)
    let back = try #require(self.record(store.load()))
    #expect(back.published == record.published)
    #expect(back.refreshLifetime == .seconds(2_592_000))
    #expect(back.isRefreshTokenSpent)
    #expect(back.accessToken.equals(record.accessToken))
    #expect(try #require(back.refreshToken).equals(Secret("refresh-7")))
    #expect(back.scope == "openid")
    #expect(back.issuer == "https://i")
  }

  @Test func `what is not known stays unknown`() throws {
    var record = SessionRecord.sample(lifetime: nil)
    (record.refreshToken, record.scope, record.issuer, record.user.name) = (nil, nil, nil, nil)
    record.isVerified = false
    try put(StoreEncoding.encode(record), in: store)
    let back = try #require(self.record(store.load()))
    #expect(back.refreshToken == nil && back.scope == nil && back.issuer == nil)
    #expect(back.published == record.published)
    #expect(back.published.verifiedIn == nil)
    #expect(!back.isRefreshTokenSpent)
  }

  @Test(arguments: UnauthenticatedReason.allCases) func `a tombstone says why`(reason: UnauthenticatedReason)
    throws
  {
    let tombstone = Tombstone(generation: 9, reason: reason, ended: .of(5), token: TokenHash(of: Secret("t")))
    try put(StoreEncoding.encode(tombstone), in: store)
    guard case .ended(let back) = store.load() else {
      Issue.record("no tombstone")
      return
    }
    #expect(back == tombstone)
  }

  @Test func `no file is no session, and reading creates nothing`() throws {
    guard case .missing = store.load() else {
      Issue.record("found a session")
      return
    }
    #expect(try folder.read("key") == nil)
  }

  @Test func `the store and its key are for their owner alone`() throws {
    try put(StoreEncoding.encode(.sample()), in: store)
    for name in ["key", "p.session"] {
      var status = stat()
      #expect(stat(folder.path + "/" + name, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600)
    }
  }

  @Test func `the file holds no secret in the clear`() throws {
    try put(StoreEncoding.encode(.sample()), in: store)
    let text = String(decoding: try #require(try folder.read("p.session")), as: UTF8.self)
    for secret in ["refresh-7", "access-7", "alice"] { #expect(!text.contains(secret)) }
  }

  @Test func `every flipped byte is noticed and left as it is`() throws {
    try put(StoreEncoding.encode(.sample()), in: store)
    let whole = try #require(try folder.read("p.session"))
    for index in whole.indices {
      var damaged = whole
      damaged[index] ^= 0x10
      try folder.write("p.session", damaged, mode: 0o600)
      #expect(reason(store.load()) != nil, "byte \(index)")
      #expect(try folder.read("p.session") == damaged)
    }
  }

  @Test func `every shorter file is noticed`() throws {
    try put(StoreEncoding.encode(.sample()), in: store)
    let whole = try #require(try folder.read("p.session"))
    for length in 0..<whole.count {
      try folder.write("p.session", Array(whole[..<length]), mode: 0o600)
      #expect(reason(store.load()) != nil, "\(length) bytes")
    }
    try folder.write("p.session", whole + [0], mode: 0o600)
    #expect(reason(store.load()) == .damaged)
  }

  @Test func `the reason is precise`() throws {
    try put(StoreEncoding.encode(.sample()), in: store)
    let whole = try #require(try folder.read("p.session"))
    let key = try #require(try folder.read("key"))

    try folder.write(
      "p.session",
      "not ours at all, but long enough to be a sealed session: \(String(repeating: "x", count: 99))",
      mode: 0o600)
    #expect(reason(store.load()) == .foreignFile)
    var newer = whole
    for version in [0, SealedStore.version - 1, SealedStore.version + 1, .max] {
      newer[7] = version
      try folder.write("p.session", newer, mode: 0o600)
      #expect(reason(store.load()) == .unknownVersion(version))
    }

    try folder.write("p.session", whole, mode: 0o600)
    try folder.write("key", [UInt8](repeating: 1, count: 32), mode: 0o600)
    #expect(reason(store.load()) == .wrongKey)
    unlink(folder.path + "/key")
    #expect(reason(store.load()) == .missingKey)
    #expect(try folder.read("key") == nil, "reading must not create a key")

    try folder.write("key", key, mode: 0o644)
    guard case .inaccessible(let text) = reason(store.load()) else {
      Issue.record("an exposed key was used")
      return
    }
    #expect(text.contains("/key"))
    chmod(folder.path + "/key", 0o600)
    #expect(reason(store.load()) == nil)
    chmod(folder.path + "/p.session", 0o640)
    #expect(reason(store.load()) != nil)
  }

  @Test func `one provider's file is not another's`() throws {
    try put(StoreEncoding.encode(.sample()), in: store)
    let other = SealedStore(
      path: store.path, name: ProviderName("q"), keyPath: store.keyPath, credentialsFolder: nil,
      machine: Self.here)
    #expect(reason(other.load()) == .damaged)
  }

  private func onMachine(_ machine: MachineIdentity) -> SealedStore {
    SealedStore(
      path: store.path, name: store.name, keyPath: store.keyPath, credentialsFolder: nil, machine: machine)
  }

  @Test func `a store opens on its own machine only, with the same key too`() throws {
    try put(StoreEncoding.encode(.sample()), in: store)
    let there = MachineIdentity(bytes: Array(2...17))
    #expect(reason(onMachine(there).load()) == .otherMachine)
    // Early in a boot; the session is here, and good.
    #expect(reason(onMachine(.unknown).load())?.isPassing == true)
    // To say that it is from here does not make it so.
    var forged = try #require(try folder.read("p.session"))
    forged.replaceSubrange(8..<24, with: there.bytes)
    try folder.write("p.session", forged, mode: 0o600)
    #expect(reason(onMachine(there).load()) == .damaged)
  }

  @Test func `a machine without an identity binds nothing`() throws {
    try put(StoreEncoding.encode(.sample()), in: onMachine(.unknown))
    #expect(reason(onMachine(.unknown).load()) == nil)
    #expect(reason(store.load()) == nil)
  }

  @Test func `a machine's identity is a hash of its number, and nothing else is one`() throws {
    try folder.write("id", "3d1219c7c4c5404aaa1f6d2a48adfda4\n", mode: 0o444)
    let machine = try MachineIdentity(of: folder.path + "/id")
    #expect(machine != .unknown)
    #expect(try machine == MachineIdentity(of: folder.path + "/id"))
    #expect(Hexadecimal.text(machine.bytes) != "3d1219c7c4c5404aaa1f6d2a48adfda4")
    for text in ["", "uninitialized\n", "3d12", "3d1219c7c4c5404aaa1f6d2a48adfda4ff"] {
      try folder.write("id", text, mode: 0o444)
      #expect(try MachineIdentity(of: folder.path + "/id") == .unknown, "\(text)")
    }
    #expect(try MachineIdentity(of: folder.path + "/none") == .unknown)
  }

  @Test func `the credential comes before the key file, and both open what they sealed`() throws {
    try put(StoreEncoding.encode(.sample()), in: store)
    let credentials = try TemporaryFolder()
    try credentials.write(SessionKey.credentialName, String(repeating: "k", count: 40), mode: 0o400)
    let withCredential = SealedStore(
      path: store.path, name: store.name, keyPath: store.keyPath, credentialsFolder: credentials.path,
      machine: Self.here)
    #expect(reason(withCredential.load()) == nil)
    try put(StoreEncoding.encode(.sample(generation: 8)), in: withCredential)
    #expect(withCredential.load().generation == 8)
    #expect(reason(store.load()) == .wrongKey)
  }

  @Test func `a short credential is refused`() throws {
    try put(StoreEncoding.encode(.sample()), in: store)
    try folder.write(SessionKey.credentialName, "short", mode: 0o400)
    let store = SealedStore(
      path: store.path, name: store.name, keyPath: store.keyPath, credentialsFolder: folder.path,
      machine: Self.here)
    #expect(reason(store.load()) != nil)
  }

  @Test func `a key is created once`() throws {
    let path = folder.path + "/key"
    let first = try SessionKey.createFile(path)
    let second = try SessionKey.createFile(path)
    #expect(first.bytes.equals(second.bytes))
  }

  @Test func `a reservation that is not used leaves nothing behind`() throws {
    try put(StoreEncoding.encode(.sample()), in: store)
    let before = try folder.read("p.session")
    do {
      let file = try store.reserve()
      #expect(try #require(try folder.read("p.session.new")).count == SealedStore.reservation)
      withExtendedLifetime(file) {}
    }
    #expect(try folder.read("p.session.new") == nil)
    #expect(try folder.read("p.session") == before)
  }

  @Test func `fields that are missing, doubled or cut are no content`() {
    let whole = StoreEncoding.encode(.sample()).withBytes { Array($0) }
    for length in 0..<whole.count {
      whole.withUnsafeBytes { bytes in
        // A cut between two fields can only be missed if all that is missing may be missing.
        if case .present(let record)? = StoreEncoding.decode(
          UnsafeRawBufferPointer(rebasing: bytes.prefix(length)))
        {
          #expect(record.accessToken.text == "access-7" && record.user.id == "alice")
        }
      }
    }
    (whole + whole).withUnsafeBytes { #expect(StoreEncoding.decode($0) == nil) }
    [UInt8](repeating: 0xff, count: 64).withUnsafeBytes { #expect(StoreEncoding.decode($0) == nil) }
  }
}
