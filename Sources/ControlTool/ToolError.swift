import ControlProtocol

/// Why a command did not do what it was asked.
nonisolated enum ToolError: Error, Hashable, Sendable {
  /// The command line is wrong; the command whose help explains it, if one was named.
  case usage(String, command: String?)
  /// Nobody answers on the control socket; `advice` says how to start the daemon.
  case unreachable(socket: String, reason: String, advice: String)
  /// The socket is there but not for this account.
  case forbidden(socket: String, reason: String)
  /// The daemon did not answer in time.
  case timedOut(socket: String, method: String)
  /// The daemon hung up before its answer was complete.
  case hungUp(socket: String, method: String)
  /// The daemon said no, or something that can't be understood.
  case refused(ProtocolError)
  /// A provider is not known here.
  case noSuchProvider(String, hint: String)
  /// Another program could not be started.
  case notStarted(program: String, reason: String)
  /// Configuration could not be read.
  case configuration(String)

  var exitCode: ExitCode {
    switch self {
    case .usage: .usage
    case .unreachable, .hungUp: .unavailable
    case .forbidden: .notPermitted
    case .timedOut: .temporary
    case .refused(let error): Self.exitCode(of: error)
    case .noSuchProvider, .notStarted: .failure
    case .configuration: .configuration
    }
  }

  private static func exitCode(of error: ProtocolError) -> ExitCode {
    switch error {
    case .tokenUnavailable, .notNow, .storeUnavailable: .temporary
    case .notPermitted: .notPermitted
    case .noSuchJob, .noSuchRun, .noSuchProvider, .alreadyEnded, .methodNotFound, .methodNotImplemented,
      .interfaceNotFound, .invalidParameter, .frameTooLong, .malformed, .unknown:
      .failure
    }
  }
}

nonisolated extension ToolError: CustomStringConvertible {
  var description: String {
    switch self {
    case .usage(let what, let command):
      "\(what)\nSee nightlatch \(command.map { $0 + " " } ?? "")--help."
    case .unreachable(let socket, let reason, let advice):
      "nightlatchd can't be reached on \(socket): \(reason). \(advice)"
    case .forbidden(let socket, let reason):
      "You may not talk to nightlatchd on \(socket): \(reason). The system's daemon talks to root and to members of the group nightlatch, a user's to that user."
    case .timedOut(let socket, let method):
      "nightlatchd on \(socket) did not answer \(method) in time; whether it was carried out is not known. See journalctl -u nightlatchd."
    case .hungUp(let socket, let method):
      "nightlatchd on \(socket) closed the connection without answering \(method); it may be restarting: try again."
    case .refused(let error): error.description
    case .noSuchProvider(let provider, let hint):
      "There is no provider \(provider)\(hint.isEmpty ? "." : hint)"
    case .notStarted(let program, let reason): "Can't start \(program): \(reason)."
    case .configuration(let what): what
    }
  }
}
