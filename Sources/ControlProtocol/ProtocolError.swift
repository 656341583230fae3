/// Why a call was refused, or why a frame is no message at all.
public enum ProtocolError: Error, Hashable, Sendable {
  case noSuchJob(String, nearest: String? = nil)
  case noSuchRun(String)
  case noSuchProvider(String, nearest: String? = nil)
  case notPermitted(reason: String)
  case tokenUnavailable(provider: String, authState: String, reason: String)
  case alreadyEnded(run: String)
  case notNow(reason: String)
  case storeUnavailable(reason: String)

  // org.varlink.service
  case methodNotFound(String)
  case methodNotImplemented(String)
  case interfaceNotFound(String)
  case invalidParameter(String)

  /// A peer sent this many bytes without ending its message. There is no way to go on.
  case frameTooLong(limit: Int)
  /// A frame is not a Varlink message. There is no way to go on.
  case malformed(String)
  /// An error that this version does not know, from a newer daemon.
  case unknown(name: String)

  /// Whether the connection is of no use any more: close it instead of replying.
  public var isFatal: Bool {
    switch self {
    case .frameTooLong, .malformed: true
    default: false
    }
  }
}

extension ProtocolError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noSuchJob(let job, let nearest): "There is no job \(job)" + Self.suggestion(nearest)
    case .noSuchRun(let run): "There is no run \(run) in the ledger."
    case .noSuchProvider(let provider, let nearest):
      "There is no provider \(provider)" + Self.suggestion(nearest)
    case .notPermitted(let reason): "Not permitted: \(reason)"
    case .tokenUnavailable(let provider, let state, let reason):
      "No token of \(provider) is at hand (\(state)): \(reason)"
    case .alreadyEnded(let run): "Run \(run) has already ended; nothing was changed."
    case .notNow(let reason): "Not now: \(reason)"
    case .storeUnavailable(let reason): "The ledger can't be used: \(reason)"
    case .methodNotFound(let method): "The daemon does not know the method \(method)."
    case .methodNotImplemented(let method): "The daemon does not implement the method \(method)."
    case .interfaceNotFound(let interface): "The daemon does not serve the interface \(interface)."
    case .invalidParameter(let parameter):
      "The parameter \(parameter) is missing, of the wrong type, out of range or not known."
    case .frameTooLong(let limit): "A message is longer than \(limit) bytes; the connection is closed."
    case .malformed(let what): "A message can't be read: \(what); the connection is closed."
    case .unknown(let name): "The daemon answered with \(name), which this version does not know."
    }
  }

  private static func suggestion(_ nearest: String?) -> String {
    nearest.map { "; did you mean \($0)?" } ?? "."
  }
}
