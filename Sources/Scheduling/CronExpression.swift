/// Five cron fields.
public struct CronExpression: Hashable, Sendable {
}
