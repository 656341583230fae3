/// One thing that `doctor` looked at: what it found, and what to do about it.
public struct Finding: Hashable, Sendable {
  public enum Level: String, Hashable, Sendable, CaseIterable {
    case ok
    /// Works, or may work, but not as well as it could.
    case warning
    /// Does not work until somebody does something.
    case failed
  }

  public var level: Level
  /// What was looked at, in a word or two.
  public var subject: String
  /// One sentence for people, without secrets; what to do comes last.
  public var detail: String

  public init(_ level: Level, _ subject: String, _ detail: String) {
    self.level = level
    self.subject = subject
    self.detail = detail
  }
}
