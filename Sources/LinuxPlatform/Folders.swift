import Glibc

/// Where everything lies (nightlatchd(8), FILES): the same for daemon, agent and tool.
public nonisolated struct Folders: Hashable, Sendable {
  public enum Mode: Hashable, Sendable {
    /// root's: `/etc`, `/var/lib`, `/run`.
    case system
    /// One user's own: the XDG folders.
    case user
  }

  public var mode: Mode
  public var configuration: String
  /// The vendor's configuration, which same-named files in `configuration` replace; nil in user mode
  /// and when the configuration folder was named.
  public var vendor: String?
  public var state: String
  public var runtime: String

  public init(mode: Mode, configuration: String, vendor: String?, state: String, runtime: String) {
    self.mode = mode
    self.configuration = configuration
    self.vendor = vendor
    self.state = state
    self.runtime = runtime
  }

  public static let system = Folders(
    mode: .system, configuration: "/etc/nightlatch", vendor: "/usr/lib/nightlatch",
    state: "/var/lib/nightlatch", runtime: "/run/nightlatch")

  public var ledger: String { "\(state)/ledger.db" }
  public var sessions: String { "\(state)/sessions" }
  public var lockFile: String { "\(state)/lock" }
  public var controlSocket: String { "\(runtime)/control.sock" }
  public var auth: String { "\(runtime)/auth" }
  public var tokens: String { "\(runtime)/tokens" }
  /// What each provider's last attempts came to, for whoever may read the auth cache.
  public var attempts: String { "\(runtime)/attempts" }
  /// One folder a run, for its token file.
  public var runs: String { "\(runtime)/runs" }

  /// Where `nightlatch.toml` may be, best first.
  public var settingsFiles: [String] { configurations.map { "\($0)/nightlatch.toml" } }
  /// For ``SourceFiles/load(folders:)``.
  public var jobs: [String] { configurations.map { "\($0)/jobs.d" } }
  public var providers: [String] { configurations.map { "\($0)/providers.d" } }

  private var configurations: [String] { [configuration] + (vendor.map { [$0] } ?? []) }
}
