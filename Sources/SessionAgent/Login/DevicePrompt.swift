/// What a person has to do to log in. Both texts are the server's, made fit for a terminal.
public struct DevicePrompt: Hashable, Sendable {
  public var userCode: String
  public var verificationURL: String
  /// The same page with the code filled in, if the server offers it.
  public var completeURL: String?
  public var expiresIn: Duration
}
