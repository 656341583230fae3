/// One journal entry: a message for people and fields for programs.
public nonisolated struct LogEntry: Sendable {
  /// syslog(3)'s levels.
  public enum Priority: Int, Sendable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
    case debug = 7
  }

  public var priority: Priority
  public var message: [UInt8]
  /// 32 hexadecimal digits: names the kind of message, and its text in the catalog.
  public var messageID: String?
  /// Names in capital letters; values may hold anything.
  public var fields: [(name: String, value: String)]

  public init(
    _ message: String, priority: Priority = .info, messageID: String? = nil,
    fields: [(name: String, value: String)] = []
  ) {
    self.init(bytes: Array(message.utf8), priority: priority, messageID: messageID, fields: fields)
  }

  /// A message that may not be text: a line of a run's output.
  public init(
    bytes: [UInt8], priority: Priority = .info, messageID: String? = nil,
    fields: [(name: String, value: String)] = []
  ) {
    self.message = bytes
    self.priority = priority
    self.messageID = messageID
    self.fields = fields
  }
}
