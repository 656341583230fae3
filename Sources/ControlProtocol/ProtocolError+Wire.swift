extension ProtocolError {
  /// The parameters of every error there is; which are present depends on the error.
  struct Parameters: Codable, Hashable {
    var job, nearest, run, provider, reason, authState, method, interface, parameter: String?

    private enum CodingKeys: String, CodingKey {
      case job, nearest, run, provider, reason, method, interface, parameter
      case authState = "auth_state"
    }
  }

  /// The error's name and parameters on the wire; nil when it ends the connection.
  var wire: (name: String, parameters: Parameters)? {
    switch self {
    case .noSuchJob(let job, let nearest): control("NoSuchJob", Parameters(job: job, nearest: nearest))
    case .noSuchRun(let run): control("NoSuchRun", Parameters(run: run))
    case .noSuchProvider(let provider, let nearest):
      control("NoSuchProvider", Parameters(nearest: nearest, provider: provider))
    case .notPermitted(let reason): control("NotPermitted", Parameters(reason: reason))
    case .tokenUnavailable(let provider, let state, let reason):
      control("TokenUnavailable", Parameters(provider: provider, reason: reason, authState: state))
    case .alreadyEnded(let run): control("AlreadyEnded", Parameters(run: run))
    case .notNow(let reason): control("NotNow", Parameters(reason: reason))
    case .storeUnavailable(let reason): control("StoreUnavailable", Parameters(reason: reason))
    case .methodNotFound(let method): service("MethodNotFound", Parameters(method: method))
    case .methodNotImplemented(let method): service("MethodNotImplemented", Parameters(method: method))
    case .interfaceNotFound(let interface): service("InterfaceNotFound", Parameters(interface: interface))
    case .invalidParameter(let parameter): service("InvalidParameter", Parameters(parameter: parameter))
    case .unknown(let name): (name, Parameters())
    case .frameTooLong, .malformed: nil
    }
  }

  /// What an error reply means; a parameter that is missing reads as empty.
  init(name: String, parameters: Parameters) {
    let reason = parameters.reason ?? ""
    switch name {
    case "org.nightlatch.Control.NoSuchJob":
      self = .noSuchJob(parameters.job ?? "", nearest: parameters.nearest)
    case "org.nightlatch.Control.NoSuchRun": self = .noSuchRun(parameters.run ?? "")
    case "org.nightlatch.Control.NoSuchProvider":
      self = .noSuchProvider(parameters.provider ?? "", nearest: parameters.nearest)
    case "org.nightlatch.Control.NotPermitted": self = .notPermitted(reason: reason)
    case "org.nightlatch.Control.TokenUnavailable":
      self = .tokenUnavailable(
        provider: parameters.provider ?? "", authState: parameters.authState ?? "", reason: reason)
    case "org.nightlatch.Control.AlreadyEnded": self = .alreadyEnded(run: parameters.run ?? "")
    case "org.nightlatch.Control.NotNow": self = .notNow(reason: reason)
    case "org.nightlatch.Control.StoreUnavailable": self = .storeUnavailable(reason: reason)
    case "org.varlink.service.MethodNotFound": self = .methodNotFound(parameters.method ?? "")
    case "org.varlink.service.MethodNotImplemented": self = .methodNotImplemented(parameters.method ?? "")
    case "org.varlink.service.InterfaceNotFound": self = .interfaceNotFound(parameters.interface ?? "")
    case "org.varlink.service.InvalidParameter": self = .invalidParameter(parameters.parameter ?? "")
    default: self = .unknown(name: name)
    }
  }
}

private func control(
  _ name: String, _ parameters: ProtocolError.Parameters
) -> (name: String, parameters: ProtocolError.Parameters) {
  ("org.nightlatch.Control." + name, parameters)
}

private func service(
  _ name: String, _ parameters: ProtocolError.Parameters
) -> (name: String, parameters: ProtocolError.Parameters) {
  ("org.varlink.service." + name, parameters)
}
