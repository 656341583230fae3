import AuthModel
import Glibc
import JobEngine
import Scheduling
import Testing

/// Whatever happens, in whatever order: the promises of DESIGN's section "Tests" hold.
@Suite struct RandomStoryTests {
  /// How many events are told in all: 10,000, or what NIGHTLATCH_RANDOM_EVENTS says (`make test`: 100,000).
  static let events = getenv("NIGHTLATCH_RANDOM_EVENTS").flatMap { Int(String(cString: $0)) } ?? 10_000

  @Test(arguments: UInt64(1)...20)
  func `random events break no promise`(seed: UInt64) {
    var story = RandomStory(seed: seed)
    for step in 0..<Self.events / 20 {
      story.step()
      guard story.violations.isEmpty else {
        Issue.record("seed \(seed), step \(step): \(story.violations)\n\(story.transcript)")
        return
      }
    }
    story.finish()
    #expect(story.violations.isEmpty, "seed \(seed), at the end\n\(story.transcript)")
  }
}

/// A world in which everything that can happen does.
struct RandomStory {
  var world: World
  var random: SplitMix
  var violations: [String] = []
  private var checkedLaunches = 0
  private var jobs: [JobDefinition]
  private var boots = 1
  private let provider = ProviderDefinition.work()

  init(seed: UInt64) {
    random = SplitMix(state: seed)
    jobs = RandomStory.jobs
    world = World()
    world.startsProcesses = false
    world.post(.started(definitions(jobs), Recovery(), [:]))
  }

  private func definitions(_ jobs: [JobDefinition], hasProvider: Bool = true) -> Definitions {
    Definitions(jobs, hasProvider ? [provider] : [])
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

  mutating func step() {
    switch random.below(110) {
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
  }

  /// Several things happen before the daemon gets round to any of them.
  private mutating func together() {
    world.isHolding = true
    for _ in 0..<2 + random.below(3) {
      switch random.below(7) {
      case 0: _ = try? world.run(anyJob().id)
      case 1: endProcess()
      case 2: publish()
      case 3: conditions()
      case 4: cancel()
      case 5: pauseOrResume()
      default: world.post(.woke)
      }
    }
    world.release()
  }

  private func anyJobIndex(_ number: UInt64) -> Int { Int(number % UInt64(jobs.count)) }

  private mutating func anyJob() -> JobDefinition { jobs[anyJobIndex(random.next())] }

  private mutating func endProcess() {
    guard let id = world.processes.keys.sorted().randomElement(using: &random) else { return }
    let statuses: [JobEngine.ExitStatus] = [
      .exited(0), .exited(0), .exited(0), .exited(1), .exited(75), .exited(77), .signaled(15), .unknown,
    ]
    world.end(id, statuses[random.below(statuses.count)])
  }

  private mutating func publish() {
    switch random.below(8) {
    case 0: world.publish(.unreadable, exit: 1)
    case 1: world.publish(.absent(.rejected), attempt: world.attempt(.definite), exit: 77)
    case 2: world.publish(world.unverifiedSession(), attempt: world.attempt(.transient), exit: 75)
    case 3: world.publish(world.unverifiedSession(), attempt: world.attempt(.ambiguous), exit: 75)
    default:
      let lifetime = Duration.seconds(30 + Int64(random.below(300)))
      world.publish(world.freshSession(lifetime: lifetime), attempt: world.attempt(.success, failures: 0))
    }
  }

  private mutating func conditions() {
    var conditions = Conditions()
    conditions.hasDefaultRoute = random.below(2) == 0
    conditions.onExternalPower = random.below(2) == 0
    conditions.battery = random.below(101)
    world.post(.conditionsChanged(conditions))
  }

  private mutating func cancel() {
    guard let record = world.ledger.openRecords.randomElement(using: &random) else { return }
    world.request(.cancel([record]))
  }

  private mutating func pauseOrResume() {
    let id = anyJob().id
    world.request(random.below(3) == 0 ? .pause(id) : .resume(id))
  }

  private mutating func foreground() { world.request(.foreground(random.below(2) == 0 ? .work : nil)) }

  private mutating func reload() {
    let present = random.below(3) == 0 ? Array(jobs.dropFirst(1 + random.below(3))) : jobs
    world.post(.reloaded(definitions(present, hasProvider: random.below(4) > 0)))
    if random.below(2) == 0 { world.post(.reloaded(definitions(jobs))) }
  }

  /// The daemon is killed, or the machine; some processes outlive the daemon.
  private mutating func restart(boot: Bool) {
    world.survivors = Set(world.processes.keys.sorted().filter { _ in random.below(2) == 0 })
    boots += boot ? 1 : 0
    let id = boot ? BootID("b\(boots)") : nil
    world.restart(boot: id, after: .seconds(Int64(random.below(200))))
    // A machine without a battery-backed clock starts in the past.
    let wall = world.now.wall
    if boot, random.below(3) == 0 { world.now.wall = wall - .seconds(3 * 86_400) }
    begin()
    if world.now.wall < wall { world.step(by: wall - world.now.wall) }
  }

  private mutating func shutDown() {
    world.post(.shutdownRequested)
    answerLaunches()
    while let id = world.processes.keys.sorted().first { world.end(id, .signaled(15)) }
    if !world.hasLeft { violations.append("a shutdown was not finished") }
    boots += 1
    world.restart(boot: BootID("b\(boots)"), after: .seconds(60))
    begin()
  }

  private mutating func begin() {
    checkedLaunches = 0
    world.post(.started(definitions(jobs), world.ledger.recovery(), [:]))
    // What survived and was not adopted would be a process without a run.
    for id in world.survivors where world.processes[id] == nil {
      violations.append("\(id) survived and was not adopted")
    }
  }

  /// Processes start, or can't be started.
  private mutating func answerLaunches() {
    while checkedLaunches < world.launches.count {
      let launch = world.launches[checkedLaunches]
      checkedLaunches += 1
      checkGate(launch)
      let id = launch.record.id
      switch random.below(20) {
      case 0: world.post(.spawnFailed(id, attempt: launch.record.attempt, .program("no")))
      case 1 where launch.token != nil:
        world.post(.spawnFailed(id, attempt: launch.record.attempt, .token("no token")))
      default: world.startProcess(id, launch.record.attempt)
      }
    }
  }

  // MARK: - Promises

  private mutating func checkGate(_ launch: Launch) {
    switch launch.job.auth.requires {
    case .none: return
    case .session:
      if launch.authState?.user == nil { violations.append("\(launch.job.id) ran without a session") }
    case .verified:
      guard case .authenticated = launch.authState, launch.token != nil else {
        return violations.append("\(launch.job.id) ran while \(launch.authState?.name ?? "nothing")")
      }
    }
  }

  private mutating func check() {
    violations += world.ledger.complaints
    for job in jobs where job.overlap != .allow {
      let running = world.processes.keys.filter { world.ledger.runs[$0]?.job == job.id }
      if running.count > 1 { violations.append("\(job.id) runs \(running.count) times") }
    }
    for id in world.processes.keys where world.ledger.runs[id]?.state.isFinal ?? true {
      violations.append("\(id) has a process and a verdict")
    }
    checkCounts()
    world.post(.woke)
    if let wake = world.nextWake(), wake <= world.now.boot {
      violations.append("a wake-up in the past: \(wake)")
    }
  }

  /// What the engine counts is what there is, and nothing waits for what is there.
  private mutating func checkCounts() {
    answerLaunches()
    let (summary, open) = (world.engine.summary, world.ledger.openRecords)
    if summary.running != world.processes.count {
      violations.append("\(summary.running) runs are counted, \(world.processes.count) processes are there")
    }
    let known = Set(world.engine.jobIDs)
    let deferred = open.filter { $0.state == .deferred && known.contains($0.job) }.count
    if !world.engine.providerNames.isEmpty, summary.deferred != deferred {
      violations.append("\(summary.deferred) entries are counted, \(deferred) are there")
    }
    for (job, runs) in Dictionary(grouping: open.filter { $0.state != .deferred }, by: \.job)
    where runs.allSatisfy({ $0.state == .queued }) {
      violations.append("nothing is in the way of \(job), and yet it is queued")
    }
  }

  /// When the world behaves, everything comes to its verdict: nothing queued is lost.
  mutating func finish() {
    var online = Conditions()
    online.hasDefaultRoute = true
    world.post(.reloaded(definitions(jobs)))
    world.post(.conditionsChanged(online))
    for job in jobs { world.request(.resume(job.id)) }
    for index in jobs.indices { jobs[index].schedule = Schedule() }
    world.post(.reloaded(definitions(jobs)))
    for _ in 0..<200 {
      if world.ledger.open.isEmpty { return }
      let session = world.freshSession(lifetime: .seconds(3600))
      world.publish(session, attempt: world.attempt(.success, failures: 0))
      answerLaunchesWell()
      while let id = world.processes.keys.sorted().first {
        world.exit(id)
        answerLaunchesWell()
      }
      world.advance(by: .seconds(600))
      answerLaunchesWell()
    }
    for record in world.ledger.openRecords {
      violations.append("\(record.job) \(record.id) stays \(record.state)")
    }
  }

  private mutating func answerLaunchesWell() {
    while checkedLaunches < world.launches.count {
      let launch = world.launches[checkedLaunches]
      checkedLaunches += 1
      checkGate(launch)
      world.startProcess(launch.record.id, launch.record.attempt)
    }
  }

  /// The latest events; the seed tells the rest.
  var transcript: String {
    world.history.suffix(60).map { "\($0.0.boot.microseconds) \($0.1)" }.joined(separator: "\n")
  }
}

/// A small generator with a seed that can be printed.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
