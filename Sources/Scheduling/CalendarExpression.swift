/// A systemd calendar expression.
public struct CalendarExpression: Hashable, Sendable {
}
