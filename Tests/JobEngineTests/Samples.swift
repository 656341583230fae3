import AuthModel
import JobEngine
import Scheduling

extension Now {
  /// Ten minutes after boot, at 2024-03-01 12:00:00 UTC.
  static let testStart = Now(
    boot: Instant(microseconds: 600_000_000), wall: WallTime(seconds: 1_709_294_400))
}

extension ProviderName {
  static let work = ProviderName("work")
}

extension JobID {
  static let job = JobID("com.example.job")
}

extension Definitions {
  init(_ jobs: [JobDefinition], _ providers: [ProviderDefinition] = []) {
    self.init()
    for job in jobs { self.jobs[job.id] = job }
    for provider in providers { self.providers[provider.name] = provider }
  }
}

extension ProviderDefinition {
  /// A provider on this machine: its phases need no default route.
  static func work(_ change: (inout ProviderDefinition) -> Void = { _ in }) -> ProviderDefinition {
    var provider = ProviderDefinition(
      name: .work, kind: .oidc(issuer: "http://127.0.0.1:1"), clientID: "c")
    change(&provider)
    return provider
  }
}

extension JobDefinition {
  static func job(_ id: JobID = .job, _ change: (inout JobDefinition) -> Void = { _ in }) -> JobDefinition {
    var job = JobDefinition(id: id, command: .arguments(["true"]))
    change(&job)
    return job
  }

  /// A job that needs a verified session, without a schedule.
  static func verified(_ id: JobID = .job, _ change: (inout JobDefinition) -> Void = { _ in })
    -> JobDefinition
  {
    job(id) {
      $0.auth.provider = .work
      $0.auth.requires = .verified
      change(&$0)
    }
  }
}

extension TimeZoneRules {
  /// A zone without history (RFC 9636): one type, an hour east of UTC.
  static var oneHourEast: TimeZoneRules {
    get throws {
      let counts: [UInt8] = [0, 0, 0, 0, 1, 2].flatMap { [0, 0, 0, $0] }
      let header = Array("TZif".utf8) + Array(repeating: 0, count: 16) + counts
      return try TimeZoneRules(name: "East", tzif: header + [0, 0, 0x0e, 0x10, 0, 0] + Array("E\0".utf8))
    }
  }
}
