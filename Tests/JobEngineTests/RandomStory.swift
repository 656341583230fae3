import AuthModel
import JobEngine
import Scheduling
import SeededRandom

/// A world in which everything that can happen does.
struct RandomStory {
  var world: World
  var random: SplitMix
  var violations: [String] = []
  var checkedLaunches = 0
  var jobs: [JobDefinition]
  private var boots = 1
  private var trust = ClockTrust.floor
  /// The calendar dues there were when the clock was last found doubted, and how often it had been believed.
  var doubted: (dues: Int, beliefs: Int)?
  /// When a token was obtained that nothing but rotations has called into question since.
  var obtained: Instant?
  /// Whether a person's wish for a refresh has not been met yet.
  var isAsked = false
  var checkedPhases = 0
  private let provider = ProviderDefinition.work()

  init(seed: UInt64) {
    random = SplitMix(state: seed)
    jobs = RandomStory.jobs
    world = World()
    world.startsProcesses = false
    world.post(.started(definitions(jobs), Recovery(), [:]))
  }

  func definitions(_ jobs: [JobDefinition], hasProvider: Bool = true) -> Definitions {
    var definitions = Definitions(jobs, hasProvider ? [provider] : [])
    definitions.settings.clockTrust = trust
    return definitions
  }

  private static var minutely: CalendarTrigger {
    guard let minutely = try? CalendarExpression(parsing: "*:*", zones: { _ in nil }) else {
      preconditionFailure("the expression is right")
    }
    return .calendar(minutely)
  }

  /// One job of every policy that matters to the promises.
  private static var jobs: [JobDefinition] {
    [
      .job(JobID("plain")) { $0.schedule.intervals = [.seconds(45)] },
      .job(JobID("allow")) {
        $0.schedule.intervals = [.seconds(20)]
        $0.overlap = .allow
      },
      .job(JobID("queue")) {
        $0.schedule.intervals = [.seconds(25)]
        $0.overlap = .queue
        $0.retry.attempts = 3
      },
      .job(JobID("replace")) {
        $0.schedule.intervals = [.seconds(30)]
        $0.overlap = .replace
      },
      .job(JobID("network")) {
        $0.schedule.intervals = [.seconds(60)]
        $0.constraints.network = true
        $0.constraints.wait = .seconds(300)
        $0.constraints.onLost = .stop
      },
      .job(JobID("power")) {
        $0.schedule.intervals = [.seconds(70)]
        $0.schedule.randomizedDelay = .seconds(20)
        $0.constraints.externalPower = true
        $0.constraints.batteryMin = 50
        $0.constraints.onLost = .stop
        $0.overlap = .queue
      },
      .job(JobID("calendar")) {
        $0.schedule.calendars = [minutely]
        $0.schedule.missed = .all
        $0.schedule.missedLimit = 3
        $0.schedule.afterBoot = [.seconds(30)]
        $0.schedule.afterStart = [.seconds(5)]
      },
      .verified(JobID("session")) {
        $0.schedule.intervals = [.seconds(40)]
        $0.auth.requires = .session
      },
      .verified(JobID("latest")) {
        $0.schedule.intervals = [.seconds(30)]
        $0.auth.deferFor = .seconds(600)
      },
      .verified(JobID("earliest")) {
        $0.schedule.intervals = [.seconds(50)]
        $0.auth.coalesce = .earliest
      },
      .verified(JobID("all")) {
        $0.schedule.intervals = [.seconds(35)]
        $0.auth.coalesce = .all
        $0.auth.maxDeferred = 5
        $0.auth.minTokenLifetime = .seconds(90)
        $0.onInterrupted = .giveUp
      },
    ]
  }

  // MARK: - What happens

  /// What happens to no session: time goes by, processes end, jobs are run and paused, files are rotated.
  private static let calmKinds = [0..<58, 78..<82, 86..<89, 110..<115]

  mutating func step() {
    let kind = random.below(115)
    if !Self.calmKinds.contains(where: { $0 ~= kind }) { obtained = nil }
    switch kind {
    case 110...: world.post(.tokenRotated(.work))
    case 100...: together()
    case 0..<30: world.advance(by: .milliseconds(Int64(random.below(20_000))))
    case 30..<58: endProcess()
    case 58..<70: publish()
    case 70..<74: world.endPhase(random.below(2) == 0 ? .exited(75) : .failed("killed"))
    case 74..<78: conditions()
    case 78..<82: _ = try? world.run(anyJob().id)
    case 82..<86: cancel()
    case 86..<89: pauseOrResume()
    case 89..<91: world.step(by: .seconds(Int64(random.below(7200)) - 3600))
    case 91..<93: reload()
    case 93..<95: restart(boot: false)
    case 95..<96: restart(boot: true)
    case 96..<97: shutDown()
    default: foreground()
    }
    answerLaunches()
    check()
    answerLaunches()
    checkRest()
  }

  /// Several things happen before the daemon gets round to any of them.
  mutating func together() {
    world.isHolding = true
    for _ in 0..<2 + random.below(3) {
      switch random.below(8) {
      case 0: _ = try? world.run(anyJob().id)
      case 1: endProcess()
      case 2: publish()
      case 3: conditions()
      case 4: cancel()
      case 5: pauseOrResume()
      case 6: world.post(.tokenRotated(.work))
      default: world.post(.woke)
      }
    }
    world.release()
    // Nobody can tell in which order the engine saw what mattered to the session.
    obtained = nil
  }

  func anyJobIndex(_ number: UInt64) -> Int { Int(number % UInt64(jobs.count)) }

  mutating func anyJob() -> JobDefinition { jobs[anyJobIndex(random.next())] }

  mutating func endProcess() {
    guard let id = world.processes.keys.sorted().randomElement(using: &random) else { return }
    let statuses: [JobEngine.ExitStatus] = [
      .exited(0), .exited(0), .exited(0), .exited(1), .exited(75), .exited(77), .signaled(15), .unknown,
    ]
    let status = statuses[random.below(statuses.count)]
    if status == .exited(77) { obtained = nil }
    world.end(id, status)
  }

  mutating func publish() {
    switch random.below(8) {
    case 0: world.publish(.unreadable, exit: 1)
    case 1: world.publish(.absent(.rejected), attempt: world.attempt(.definite), exit: 77)
    case 2: world.publish(world.unverifiedSession(), attempt: world.attempt(.transient), exit: 75)
    case 3: world.publish(world.unverifiedSession(), attempt: world.attempt(.ambiguous), exit: 75)
    default:
      let lifetime = Duration.seconds(30 + Int64(random.below(300)))
      let outcome: AttemptClass = random.below(4) == 0 ? .spentToken : .success
      checkRest()
      world.publish(world.freshSession(lifetime: lifetime), attempt: world.attempt(outcome, failures: 0))
      // What it leads to at once is an earlier wish.
      checkedPhases = world.phases.count
      obtained = world.now.boot
    }
  }

  mutating func conditions() {
    var conditions = Conditions()
    conditions.hasDefaultRoute = random.below(2) == 0
    conditions.onExternalPower = random.below(2) == 0
    conditions.battery = random.below(101)
    conditions.isClockSynchronized = random.below(8) == 0
    world.post(.conditionsChanged(conditions))
  }

  mutating func cancel() {
    guard let record = world.ledger.openRecords.randomElement(using: &random) else { return }
    world.request(.cancel([record]))
  }

  mutating func pauseOrResume() {
    let id = anyJob().id
    world.request(random.below(3) == 0 ? .pause(id) : .resume(id))
  }

  mutating func foreground() {
    isAsked = true
    world.request(.foreground(random.below(2) == 0 ? .work : nil))
  }

  mutating func reload() {
    let present = random.below(3) == 0 ? Array(jobs.dropFirst(1 + random.below(3))) : jobs
    trust = ClockTrust.allCases[random.below(3)]
    world.post(.reloaded(definitions(present, hasProvider: random.below(4) > 0)))
    if random.below(2) == 0 { world.post(.reloaded(definitions(jobs))) }
  }

  /// The daemon is killed, or the machine; some processes outlive the daemon.
  mutating func restart(boot: Bool) {
    world.survivors = Set(world.processes.keys.sorted().filter { _ in random.below(2) == 0 })
    boots += boot ? 1 : 0
    let id = boot ? BootID("b\(boots)") : nil
    world.restart(boot: id, after: .seconds(Int64(random.below(200))))
    doubted = nil
    // A machine without a battery-backed clock starts in the past, and may stay there.
    let wall = world.now.wall
    if boot, random.below(3) == 0 { world.now.wall = wall - .seconds(3 * 86_400) }
    begin()
    if world.now.wall < wall, random.below(2) == 0 { world.step(by: wall - world.now.wall) }
  }

  mutating func shutDown() {
    world.post(.shutdownRequested)
    answerLaunches()
    while let id = world.processes.keys.sorted().first { world.end(id, .signaled(15)) }
    if !world.hasLeft { violations.append("a shutdown was not finished") }
    boots += 1
    doubted = nil
    world.restart(boot: BootID("b\(boots)"), after: .seconds(60))
    begin()
  }

  mutating func begin() {
    checkedLaunches = 0
    (checkedPhases, obtained, isAsked) = (0, nil, false)
    world.post(.started(definitions(jobs), world.ledger.recovery(), [:]))
    // What survived and was not adopted would be a process without a run.
    for id in world.survivors where world.processes[id] == nil {
      violations.append("\(id) survived and was not adopted")
    }
  }

  /// Processes start, or can't be started.
  mutating func answerLaunches() {
    while checkedLaunches < world.launches.count {
      let launch = world.launches[checkedLaunches]
      checkedLaunches += 1
      checkGate(launch)
      let id = launch.record.id
      switch random.below(20) {
      case 0: world.post(.spawnFailed(id, attempt: launch.record.attempt, .program("no")))
      case 1 where launch.token != nil:
        obtained = nil
        world.post(.spawnFailed(id, attempt: launch.record.attempt, .token("no token")))
      default: world.startProcess(id, launch.record.attempt)
      }
    }
  }
}
