import AuthModel
import Scheduling

/// What the engine knows of one job.
struct Job: Sendable {
  var definition: JobDefinition
  var progress: JobProgress
  /// The stable delay added to each due, hashed from machine, job and bound.
  var offset: Duration
  /// Where the search for calendar dues goes on while the wall clock is behind what was decided.
  var rewoundTo: WallTime?
  /// Whether it, or its calendar, was new while the wall clock was not believed: its dues count from when it is.
  var beginsWhenBelieved = false
  /// When the next calendar due is fired: an agenda entry with another time is stale.
  var calendarFire: Fire?
  /// The same for each interval.
  var intervalFires: [Duration: Instant] = [:]
  var onceFires: Set<Instant> = []
  /// Open runs in memory, oldest first.
  var active: [RunID] = []

  enum Fire: Hashable, Sendable {
    case wall(WallTime)
    /// A catch-up, spread out.
    case boot(Instant)
  }

  init(definition: JobDefinition, progress: JobProgress, machineID: String) {
    self.definition = definition
    self.progress = progress
    let bound = definition.schedule.randomizedDelay
    let hash = StableHash.of(machineID, definition.id.description, "\(bound.wholeMicroseconds)")
    offset = StableHash.duration(below: bound, from: hash)
  }

  /// Every calendar due up to here needs no decision.
  var calendarFrom: WallTime { rewoundTo ?? progress.calendarThrough }

  mutating func decided(through time: WallTime) {
    rewoundTo = time < progress.calendarThrough ? time : nil
    progress.calendarThrough = max(progress.calendarThrough, time)
  }
}
