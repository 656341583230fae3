extension ControlReply {
  /// The reply as a frame without its NUL; nil when there is nothing to say and the connection is to be
  /// closed.
  public var frame: [UInt8]? {
    if case .failure(let error) = self, error.wire == nil { return nil }
    return Frame.encode(self)
  }

  /// What a reply holds, or throws the error that it is.
  public static func decode<Body: Decodable>(
    _ type: Body.Type, from frame: some Collection<UInt8>
  ) throws(ProtocolError) -> Body {
    let outcome = try Frame.decode(Outcome.self, from: frame)
    if let name = outcome.error {
      let parameters = try Frame.decode(Envelope<ProtocolError.Parameters>.self, from: frame).parameters
      throw ProtocolError(name: name, parameters: parameters ?? ProtocolError.Parameters())
    }
    guard let body = try Frame.decode(Envelope<Body>.self, from: frame).parameters else {
      throw .malformed("the reply has no parameters")
    }
    return body
  }

  private struct Outcome: Decodable {
    var error: String?
  }

  private struct Envelope<Parameters: Decodable>: Decodable {
    var parameters: Parameters?
  }
}

extension ControlReply: Encodable {
  private enum CodingKeys: CodingKey { case parameters, error }

  public func encode(to encoder: any Encoder) throws {
    var reply = encoder.container(keyedBy: CodingKeys.self)
    if case .failure(let error) = self {
      guard let wire = error.wire else { return }
      try reply.encode(wire.name, forKey: .error)
      try reply.encode(wire.parameters, forKey: .parameters)
    } else {
      try reply.encode(Body(reply: self), forKey: .parameters)
    }
  }

  /// The reply's parameters.
  private struct Body: Encodable {
    var reply: ControlReply

    func encode(to encoder: any Encoder) throws {
      switch reply {
      case .status(let status): try StatusReply(status: status).encode(to: encoder)
      case .jobs(let jobs): try JobsReply(jobs: jobs).encode(to: encoder)
      case .queue(let runs, let total): try QueueReply(entries: runs, total: total).encode(to: encoder)
      case .runs(let runs): try RunsReply(runs: runs).encode(to: encoder)
      case .details(let run, let attempts):
        try DetailsReply(run: run, attempts: attempts).encode(to: encoder)
      case .explanation(let run, let attempts, let explanation):
        try ExplanationReply(run: run, attempts: attempts, explanation: explanation).encode(to: encoder)
      case .run(let run): try RunReply(run: run).encode(to: encoder)
      case .cancelled(let runs): try CancelledReply(cancelled: runs).encode(to: encoder)
      case .providers(let providers): try ProvidersReply(providers: providers).encode(to: encoder)
      case .token(let token, let expires):
        try TokenReply(token: token, expires: expires).encode(to: encoder)
      case .reloaded(let jobs, let providers, let diagnostics):
        try ReloadReply(jobs: jobs, providers: providers, diagnostics: diagnostics).encode(to: encoder)
      case .info(let info): try info.encode(to: encoder)
      case .interfaceDescription(let text):
        try InterfaceDescriptionReply(description: text).encode(to: encoder)
      case .done, .failure: try EmptyReply().encode(to: encoder)
      }
    }
  }
}
