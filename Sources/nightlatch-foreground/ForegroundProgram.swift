import AuthModel
import Configuration
import Glibc
import LinuxPlatform
import Scheduling
import SessionAgent

/// Runs one verb for one or more providers, one after the other.
struct ForegroundProgram {
  let folders: Folders
  let hold: SignalHold
  let console: Console

  init(_ folders: Folders, _ hold: SignalHold, _ console: Console) {
    self.folders = folders
    self.hold = hold
    self.console = console
  }

  /// The gravest of the providers' results.
  func run(_ command: ForegroundCommand) -> ExitStatus {
    if command.verb == .doctor {
      return Doctor(folders: folders, places: places, hold: hold, console: console).run(command.providers)
    }
    do {
      try folders.ensure(group: folders.mode == .system ? "nightlatch" : nil)
    } catch {
      console.complain("\(error)")
      return .configuration
    }
    let files = ProviderFiles(folders)
    let isAll = command.providers.isEmpty
    if isAll { for problem in files.problems { console.complain(problem) } }
    var status = isAll && !files.problems.isEmpty ? ExitStatus.configuration : .success
    for name in isAll ? files.names : command.providers {
      if hold.isStopRequested { return gravest(status, .tryLater) }
      status = gravest(status, run(command, files.definition(of: name)))
    }
    return status
  }

  private func run(_ command: ForegroundCommand, _ definition: ProviderFiles.Found) -> ExitStatus {
    let provider: ProviderDefinition
    switch definition {
    case .failure(let complaint):
      console.complain(complaint)
      return .configuration
    case .success(let found): provider = found
    }
    do {
      let report = try perform(
        command, ForegroundAgent(provider: provider, places: places, hold: hold, machine: machine))
      if report.status == .success { console.say(report.message) } else { console.complain(report.message) }
      return report.status
    } catch {
      console.complain("\(provider.name): \(error)")
      return error.status
    }
  }

  private func perform(_ command: ForegroundCommand, _ agent: ForegroundAgent) throws(AgentError)
    -> AgentReport
  {
    switch command.verb {
    case .publish: try agent.publish()
    case .refresh: try agent.refresh(newerThan: command.generation)
    case .login: try login(command.method, agent)
    case .logout: try agent.logout()
    case .doctor: AgentReport(.success, "")  // needs no agent, and does without what one makes
    }
  }

  /// logind, where there is one.
  private var machine: MachineHold {
    MachineHold {
      switch InhibitorLock.take(who: "Nightlatch", why: "A session is being refreshed") {
      case .held(let lock): return .granted(lock)
      case .goingDown: return .refused
      case .unavailable(let why):
        console.remark("sleep and shutdown can't be held up during a refresh: \(why)")
        return .granted(nil)
      }
    }
  }

  private func login(
    _ method: ForegroundCommand.Method?, _ agent: ForegroundAgent
  ) throws(AgentError) -> AgentReport {
    let display = LoginDisplay(console)
    defer { display.end() }
    return try agent.login(try self.method(method)) { display.show($0) }
  }

  private func method(_ method: ForegroundCommand.Method?) throws(AgentError) -> LoginMethod? {
    switch method {
    case nil: nil
    case .device: .device
    case .browser: .browser
    case .import: .refreshToken(try SecretInput(console, hold).readLine(prompt: "Refresh token: "))
    }
  }

  private var places: SessionPlaces {
    SessionPlaces(
      state: folders.state, runtime: folders.runtime,
      credentials: getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) },
      cacheGroup: folders.mode == .system ? getgrnam("nightlatch")?.pointee.gr_gid : nil)
  }

  private func gravest(_ left: ExitStatus, _ right: ExitStatus) -> ExitStatus {
    let order: [ExitStatus] = [
      .success, .failure, .tryLater, .loginNeeded, .configuration, .usage, .internalError,
    ]
    return order.last { $0 == left || $0 == right } ?? .internalError
  }
}
