// The parameters of each method's reply, as the interface describes them: what a client decodes.

public struct StatusReply: Codable, Hashable, Sendable {
  public var status: Status
}

public struct JobsReply: Codable, Hashable, Sendable {
  public var jobs: [Job]
}

public struct QueueReply: Codable, Hashable, Sendable {
  public var entries: [Run]
  public var total: Int
}

public struct RunsReply: Codable, Hashable, Sendable {
  public var runs: [Run]
}

public struct DetailsReply: Codable, Hashable, Sendable {
  public var run: Run
  public var attempts: [Attempt]
}

public struct ExplanationReply: Codable, Hashable, Sendable {
  public var run: Run
  public var attempts: [Attempt]
  public var explanation: [String]
}

public struct RunReply: Codable, Hashable, Sendable {
  public var run: Run
}

public struct CancelledReply: Codable, Hashable, Sendable {
  public var cancelled: [String]
}

public struct ProvidersReply: Codable, Hashable, Sendable {
  public var providers: [Provider]
}

public struct TokenReply: Codable, Hashable, Sendable {
  public var token: String
  public var expires: Timestamp?
}

public struct ReloadReply: Codable, Hashable, Sendable {
  public var jobs: Int
  public var providers: Int
  public var diagnostics: [Diagnostic]
}

public struct InterfaceDescriptionReply: Codable, Hashable, Sendable {
  public var description: String
}

public struct EmptyReply: Codable, Hashable, Sendable {}
