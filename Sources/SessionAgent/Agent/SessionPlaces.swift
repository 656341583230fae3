import AuthCache
public import AuthModel

/// Where sessions are kept and published.
public struct SessionPlaces: Hashable, Sendable {
  /// Durable: `sessions/` below it holds stores, journals, locks and the key.
  public var state: String
  /// Gone after a reboot: `auth/`, `tokens/` and `rescue/` below it.
  public var runtime: String
  /// `$CREDENTIALS_DIRECTORY`.
  public var credentials: String?
  /// machine-id(5): a store opens only on the machine that wrote it.
  var machineIDPath = "/etc/machine-id"
  /// The group that may read the auth cache; nil: nobody but its owner.
  public var cacheGroup: UInt32?

  public init(state: String, runtime: String, credentials: String? = nil, cacheGroup: UInt32? = nil) {
    self.state = state
    self.runtime = runtime
    self.credentials = credentials
    self.cacheGroup = cacheGroup
  }

  var sessionsFolder: String { "\(state)/sessions" }
  var keyPath: String { "\(sessionsFolder)/key" }
  var tokensFolder: String { "\(runtime)/tokens" }
  var attemptsFolder: String { "\(runtime)/attempts" }

  func file(_ provider: ProviderName, _ ending: String) -> String {
    "\(sessionsFolder)/\(provider).\(ending)"
  }

  /// Where a new pair is kept that the disk does not take.
  func rescueFile(_ provider: ProviderName) -> String { "\(runtime)/rescue/\(provider)" }

  /// The access token alone, without a line end, mode 0600. Its modification time is the moment its
  /// request was sent (``Snapshot/Present/obtained``, to the microsecond): a reader that finds
  /// another has caught the agent between two writes and reads the snapshot again.
  public func tokenFile(_ provider: ProviderName) -> String { "\(tokensFolder)/\(provider)" }
}
