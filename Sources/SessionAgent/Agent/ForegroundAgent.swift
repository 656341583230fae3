public import AuthModel
import Glibc
import Scheduling

/// The only part of Nightlatch that talks to identity providers, for one provider.
///
/// Sequential and blocking. Each verb takes the provider's lock, does its work, publishes, and
/// returns what it came to; a session is never worse off for an error.
public struct ForegroundAgent {
  let provider: ProviderDefinition
  let places: SessionPlaces
  let clock: SystemClock
  let client: HTTPClient
  let machine: MachineHold
  let store: SealedStore
  let table: VerdictTable
  /// How long another agent may hold the lock: a request may take its whole timeout a few times over.
  var patience: Duration

  var hold: SignalHold { client.hold }
  var name: ProviderName { provider.name }
  var journalPath: String { places.file(name, "journal") }

  /// Prepares the folders; talks to nobody.
  public init(
    provider: ProviderDefinition, places: SessionPlaces, hold: SignalHold, machine: MachineHold = .none
  ) throws(AgentError) {
    let name = provider.name.description
    guard !name.isEmpty, !name.hasPrefix("."), !name.contains("/"), !name.utf8.contains(0) else {
      throw .unusableProviderName(HTTPClient.printable(name))
    }
    try File.makeFolder(places.sessionsFolder)
    self.provider = provider
    self.places = places
    self.machine = machine
    clock = try SystemClock()
    table = VerdictTable.standard.overridden(by: provider.verdicts)
    client = HTTPClient(hold: hold, transport: provider.transport, credentialsFolder: places.credentials)
    patience = provider.requestTimeout * 4 + .seconds(5)
    store = SealedStore(
      path: places.file(provider.name, "session"), name: provider.name, keyPath: places.keyPath,
      credentialsFolder: places.credentials, machine: try MachineIdentity(of: places.machineIDPath),
      rescuePath: places.rescueFile(provider.name))
  }

  /// Loads the store and publishes it, without any network: at boot, and whenever in doubt.
  public func publish() throws(AgentError) -> AgentReport {
    // A file is no network: whatever it holds now may have been rotated while nobody looked.
    if case .tokenFile = provider.kind {
      switch store.load() {
      case .present, .missing:
        if let report = try? resupply(newerThan: store.load().generation) { return report }
      case .ended, .unreadable: break
      }
    }
    let lock = try lock()
    defer { withExtendedLifetime(lock) {} }
    let publication = try publication()
    _ = try? store.adoptRescued()
    let stored = store.load()
    try publication.publish(
      stored, spend: spendState(of: stored), attempt: lastAttempt(on: stored, publication))
    return report(on: stored)
  }

  func publication() throws(AgentError) -> Publication {
    let publication = try Publication(name, places: places, clock: clock)
    if provider.isSupplied { publication.standing = owner }
    return publication
  }

  /// What is to be said of a store that was only looked at: why it can't be read, or what was said before.
  func lastAttempt(on stored: StoredSession, _ publication: Publication) -> Snapshot.Attempt? {
    guard case .unreadable(let reason) = stored else { return publication.lastAttempt }
    return attempt(reason.isPassing ? .transient : .configuration, after: publication, reason.description)
  }

  func lock() throws(AgentError) -> SessionLock {
    try SessionLock(path: places.file(name, "lock"), provider: name, patience: patience, hold: hold)
  }

  /// Looks without touching. A journal that can't be read proves nothing: unverified is the safe side.
  func spendState(of stored: StoredSession) -> Snapshot.Spend {
    guard case .present(let record) = stored, let token = record.refreshToken else { return .settled }
    // Not on disk yet.
    if store.rescued != nil { return .open }
    guard
      let history = try? SpendJournal.read(
        journalPath, generation: record.generation, token: TokenHash(of: token))
    else { return .ambiguous }
    return history.isAmbiguous ? .ambiguous : .settled
  }

  func report(on stored: StoredSession) -> AgentReport {
    switch stored {
    case .present(let record):
      AgentReport(.success, "\(name): the session of \(record.user.id) is published")
    case .missing:
      AgentReport(
        .success,
        provider.isSupplied ? "\(name): no token was taken yet" : "\(name): nobody has logged in yet")
    case .ended(let tombstone):
      AgentReport(
        .success, "\(name): there is no session (\(tombstone.reason)); log in with: nightlatch login \(name)")
    case .unreadable(let reason):
      AgentReport(.configuration, AgentError.store(provider: name, reason: reason).description)
    }
  }

  func endpoints(
    needed: [KeyPath<ProviderDefinition.Endpoints, String?>]
  ) throws(AgentError) -> ProviderDefinition.Endpoints {
    try metadata(needed: needed).endpoints
  }

  func metadata(
    needed: [KeyPath<ProviderDefinition.Endpoints, String?>]
  ) throws(AgentError) -> ServerMetadata {
    try Discovery(provider: provider, client: client, cachePath: places.file(name, "discovery"))
      .metadata(needed: needed, now: clock.now.wall)
  }

  func credentials() throws(AgentError) -> ClientCredentials {
    try ClientCredentials(provider, credentialsFolder: places.credentials)
  }

  var issuer: String? { provider.issuer }
}
