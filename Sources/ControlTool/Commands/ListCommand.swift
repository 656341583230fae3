import ControlProtocol
import JobEngine
import LinuxPlatform
import Scheduling

/// `nightlatch list [JOB]`
enum ListCommand {
  nonisolated static let command = Command(
    name: "list", group: .look, summary: "List the jobs, or show one in full",
    operands: [Operand("JOB", .optional, completion: .jobs)], options: [.json],
    discussion: [
      "Lists every job with its state, when it is due next, and what became of its last run. With JOB, shows everything about that job."
    ],
    action: run)

  static func run(_ invocation: Invocation, _ world: Surroundings) throws(ToolError) -> ExitCode {
    let job = invocation[0].map { JobID($0) }
    let reply = try world.daemon().ask(.listJobs(job), for: JobsReply.self)
    let jobs = reply.jobs
    if invocation.has(.json) {
      world.print(json: reply)
    } else if job != nil, let only = jobs.first {
      world.write(details(of: only, world))
    } else if jobs.isEmpty {
      world.print(
        sentence: "No jobs. Put a job file in \(world.folders.configuration)/jobs.d, see nightlatch-job(5).")
    } else {
      show(jobs, world)
    }
    return .success
  }

  private static func show(_ jobs: [Job], _ world: Surroundings) {
    var table = Table([
      .init("JOB", narrow: .cutStart), .init("STATE"), .init("NEXT"), .init("NEEDS"),
      .init("LAST RUN", narrow: .cutEnd),
    ])
    for job in jobs.sorted(by: { $0.job < $1.job }) {
      table.rows.append([
        .init(job.job), .init(state(of: job), style(of: job)),
        .init(nextDue(of: job).map { world.times.relative($0) }), .init(needs(of: job)),
        .init(
          job.last.map { RunDisplay.outcome(of: $0, world.times) },
          job.last.map { RunDisplay.style(of: $0.state) } ?? .plain),
      ])
    }
    world.print(table)
    for job in jobs { if let problem = job.problem { world.print(sentence: "\(job.job): \(problem)") } }
  }

  private static func details(of job: Job, _ world: Surroundings) -> String {
    let times = world.times
    var details = Details()
    details.add("description", job.description)
    details.add("problem", job.problem, .bad)
    details.add("state", state(of: job), style(of: job))
    details.add("kind", job.kind)
    details.add("command", job.command)
    details.add(
      "schedule", job.schedule.isEmpty ? "none; runs only on request" : job.schedule.joined(separator: "; "))
    details.add("time zone", job.timezone)
    details.add("next due", nextDue(of: job).map { times.full($0) })
    details.add("needs", needs(of: job) ?? "no session")
    details.add(
      "last run", job.last.map { RunDisplay.outcome(of: $0, times) },
      job.last.map { RunDisplay.style(of: $0.state) } ?? .plain)
    details.add("run", job.last?.run)
    details.add("file", job.file)
    return world.styled(job.job, .bold) + "\n" + details.text(for: world.terminal)
  }

  /// `running`, `deferred (3)`.
  private static func state(of job: Job) -> String {
    let count =
      switch job.state {
      case .running: job.running
      case .waiting: job.waiting
      case .deferred: job.deferred
      case .idle, .paused, .problem: 0
      }
    return job.state.rawValue + (count > 1 ? " (\(count))" : "")
  }

  /// What a paused job would be due for is no promise.
  private static func nextDue(of job: Job) -> WallTime? { job.paused ? nil : job.nextDue?.wall }

  private static func style(of job: Job) -> Style {
    switch job.state {
    case .problem: .bad
    case .running: .active
    case .deferred, .paused: .warning
    case .idle, .waiting: .plain
    }
  }

  /// `work verified`; nil for a job that needs no session.
  private static func needs(of job: Job) -> String? {
    job.provider.map { "\($0) \(job.requires)" }
  }
}
