/// Everything needed to start one process. Its standard output and error are two pipes:
/// ``ChildProcess/output`` and ``ChildProcess/errors``.
public nonisolated struct LaunchSpec: Sendable {
  /// The program and its arguments. A program without a slash is looked up in the `PATH` of
  /// `environment`.
  public var command: [String]
  /// The whole environment: nothing is inherited.
  public var environment: [(name: String, value: String)]
  /// nil: this process's own.
  public var workingFolder: String?
  /// Run as this user, with their groups; nil: as this process. Naming another user needs root.
  public var user: String?
  /// Further open files for the child: our descriptor and the number it has there (3 or more). They
  /// stay open here.
  public var files: [(fd: Int32, number: Int32)]

  public init(
    command: [String], environment: [(name: String, value: String)] = [],
    workingFolder: String? = nil, user: String? = nil,
    files: [(fd: Int32, number: Int32)] = []
  ) {
    self.command = command
    self.environment = environment
    self.workingFolder = workingFolder
    self.user = user
    self.files = files
  }
}
