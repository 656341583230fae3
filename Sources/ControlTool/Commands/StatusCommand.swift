import ControlProtocol
import LinuxPlatform
import Scheduling

/// `nightlatch status`
enum StatusCommand {
  nonisolated static let command = Command(
    name: "status", group: .look, summary: "Show the daemon, what is due next and what waits",
    options: [.json],
    discussion: [
      "Shows whether the daemon is running, how many jobs it has, which one is due next, what runs or waits, and the session of each provider."
    ],
    action: run)

  static func run(_ invocation: Invocation, _ world: Surroundings) throws(ToolError) -> ExitCode {
    let reply = try world.daemon().ask(.status, for: StatusReply.self)
    if invocation.has(.json) {
      world.print(json: reply.status)
    } else {
      world.write(text(of: reply.status, world))
    }
    return .success
  }

  private static func text(of status: Status, _ world: Surroundings) -> String {
    let times = world.times
    let age = times.rough(max(.zero, times.now - status.started.wall))
    let title = "nightlatchd \(status.version)"
    let state = status.stopping ? world.styled("stopping", .warning) : world.styled("running", .good)
    var details = Details()
    details.add("jobs", jobs(of: status), status.jobsWithProblems > 0 ? .warning : .plain)
    details.add("runs", "\(status.running) running, \(status.waiting) waiting, \(status.deferred) deferred")
    details.add("next", next(of: status, times))
    for provider in status.providers {
      details.add(
        provider.provider, ProviderDisplay.line(provider, times), ProviderDisplay.style(provider.authState))
    }
    details.add("ledger", status.storeProblem, .bad)
    details.add("clock", status.clockProblem, .warning)
    details.add("configuration", problems(status.diagnostics), .warning)
    details.add("folders", "\(status.configFolder), \(status.stateFolder), \(status.runtimeFolder)", .dim)
    let heading =
      "\(world.styled(title, .bold)) (\(status.mode.rawValue), pid \(status.pid)), \(state) for \(age)\n"
    return heading + details.text(for: world.terminal)
  }

  private static func jobs(of status: Status) -> String {
    guard status.jobs > 0 || status.jobsWithProblems > 0 else {
      // A folder that can't be listed may hold some.
      if status.diagnostics > 0 { return "none" }
      return "none; put a job file in \(status.configFolder)/jobs.d, see nightlatch-job(5)"
    }
    let problems = status.jobsWithProblems
    return "\(status.jobs)" + (problems > 0 ? ", \(problems) with a problem (see nightlatch list)" : "")
  }

  private static func next(of status: Status, _ times: TimeDisplay) -> String? {
    guard let job = status.nextJob, let due = status.nextDue else {
      return status.jobs > 0 && status.clockProblem == nil ? "nothing is scheduled" : nil
    }
    return "\(job) \(times.relative(due.wall)) (\(times.absolute(due.wall)))"
  }

  private static func problems(_ count: Int) -> String? {
    count == 0
      ? nil : "\(count) \(count == 1 ? "error or warning" : "errors and warnings"); see nightlatch check"
  }
}
