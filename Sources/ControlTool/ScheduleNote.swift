import JobEngine
import Scheduling

/// A clock change that a job's schedule meets and that its author may not have thought of.
struct ScheduleNote {
  var job: JobID
  var anomaly: ClockAnomaly

  /// The next two of a job. Where the schedule just goes on, as one of every few minutes does, there is nothing
  /// to say.
  static func next(of job: JobDefinition, after base: WallTime) -> [ScheduleNote] {
    let schedule = job.schedule
    let anomalies = schedule.calendars.flatMap { trigger in
      trigger.anomalies(after: base, count: 4, zone: schedule.zone, daylightSaving: schedule.daylightSaving)
        .filter { !$0.isSteady }
    }
    let sorted = anomalies.sorted { ($0.time, $0.due) < ($1.time, $1.due) }
    return sorted.prefix(2).map { ScheduleNote(job: job.id, anomaly: $0) }
  }
}
