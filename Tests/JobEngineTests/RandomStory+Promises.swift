import AuthModel
import Scheduling

@testable import JobEngine

/// What must hold after each step, and at the end.
extension RandomStory {
  mutating func checkGate(_ launch: Launch) {
    switch launch.job.auth.requires {
    case .none: return
    case .session:
      if launch.authState?.user == nil { violations.append("\(launch.job.id) ran without a session") }
    case .verified:
      guard case .authenticated = launch.authState, launch.token != nil else {
        return violations.append("\(launch.job.id) ran while \(launch.authState?.name ?? "nothing")")
      }
      if world.engine.view(of: launch.job.id)?.isParked == true {
        violations.append("\(launch.job.id) ran with a token that its service has refused")
      }
    }
  }

  mutating func check() {
    violations += world.ledger.complaints
    for job in jobs where job.overlap != .allow {
      let running = world.processes.keys.filter { world.ledger.runs[$0]?.job == job.id }
      if running.count > 1 { violations.append("\(job.id) runs \(running.count) times") }
    }
    for id in world.processes.keys where world.ledger.runs[id]?.state.isFinal ?? true {
      violations.append("\(id) has a process and a verdict")
    }
    checkCounts()
    checkClock()
    // What a wake-up leads to may be overdue itself, but not for ever.
    for _ in 0..<4 where world.nextWake().map({ $0 <= world.now.boot }) ?? false { world.post(.woke) }
    if let wake = world.nextWake(), wake <= world.now.boot {
      violations.append("a wake-up in the past: \(wake)")
    }
  }

  /// A token that was obtained is left alone for a while, however often its file is rotated, unless a person asks.
  mutating func checkRest() {
    let started = world.phases[min(checkedPhases, world.phases.count)...].filter { $0.verb == .refresh }
    checkedPhases = world.phases.count
    guard let first = started.first else { return }
    if let obtained, !isAsked, first.at < obtained + Engine.holdAfterSuccess {
      violations.append("a refresh began at \(first.at), and a token was obtained at \(obtained)")
    }
    isAsked = false
  }

  /// No calendar due is made while the clock is doubted.
  mutating func checkClock() {
    guard world.engine.clockDoubt != nil else {
      doubted = nil
      return
    }
    let dues = world.ledger.runs.values.count { if case .calendar = $0.due { true } else { false } }
    let beliefs = world.reports.count { $0 == .clockBelieved }
    if let doubted, doubted.beliefs == beliefs, doubted.dues != dues {
      violations.append("\(dues - doubted.dues) calendar dues were made under a doubted clock")
    }
    doubted = (dues, beliefs)
  }

  /// What the engine counts is what there is, and nothing waits for what is there.
  mutating func checkCounts() {
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
    for (name, provider) in world.engine.providers {
      let shares = world.engine.shares.filter {
        $1.provider == name && known.contains($0) && !provider.parked.contains($0)
      }
      let awaited = shares.values.reduce(0) { $0 + $1.count }
      if provider.awaitedCount != awaited {
        violations.append("\(provider.awaitedCount) entries are said to wait for a phase, \(awaited) do")
      }
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
    online.isClockSynchronized = true
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

  mutating func answerLaunchesWell() {
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
