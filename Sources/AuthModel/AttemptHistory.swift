public import Scheduling

/// What a provider's last attempts came to, oldest first: what the auth cache has room for is only the last one.
///
/// As text it is one line each: when it ended in microseconds of the wall clock, the class, how many had failed in a
/// row by then, and a sentence for people; separated by one space.
public struct AttemptHistory: Hashable, Sendable {
  /// Older ones are forgotten.
  public static let limit = 10

  public struct Entry: Hashable, Sendable {
    public var ended: WallTime
    public var outcome: AttemptClass
    public var failures: UInt32
    public var detail: String

    public init(_ attempt: Snapshot.Attempt) {
      ended = attempt.ended.wall
      outcome = attempt.outcome
      failures = attempt.failures
      detail = String(attempt.detail.map { $0.isNewline ? " " : $0 })
    }
  }

  public private(set) var entries: [Entry] = []

  public init() {}

  /// Reads what ``text`` wrote. A line that can't be read is passed over: the history decides nothing.
  public init(text: String) {
    for line in text.split(whereSeparator: \.isNewline) {
      if let entry = Entry(line: line) { append(entry) }
    }
  }

  public mutating func append(_ entry: Entry) {
    entries.append(entry)
    if entries.count > Self.limit { entries.removeFirst() }
  }

  public var text: String { entries.map { $0.line + "\n" }.joined() }
}

extension AttemptHistory.Entry {
  fileprivate var line: String { "\(ended.microseconds) \(outcome.name) \(failures) \(detail)" }

  fileprivate init?(line: Substring) {
    let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
    guard words.count == 4, let ended = Int64(words[0]), let failures = UInt32(words[2]),
      let outcome = AttemptClass.allCases.first(where: { $0.name == words[1] })
    else { return nil }
    self.ended = WallTime(microseconds: ended)
    self.outcome = outcome
    self.failures = failures
    detail = String(words[3])
  }
}
