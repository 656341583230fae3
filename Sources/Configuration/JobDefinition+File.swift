public import JobEngine

extension JobDefinition {
  /// Reads one file of `jobs.d`; its name is the job's identifier. The keys are in
  /// `config/README.md`.
  ///
  /// - Parameters:
  ///   - providers: The names a job may refer to; nil: any, when a file is judged on its own.
  ///   - lookout: Looks for the user, the folder and the program.
  public static func parse(
    _ file: SourceFile, zones: ZoneSource, providers: [String]? = nil, lookout: Lookout? = nil
  ) -> Parsed<JobDefinition> {
    file.read(lookout) { root in
      root.checkIdentifier(of: file)
      let kind = root.read("kind", .choice(Kind.self)) ?? .appRefresh
      let command = root.readCommand()
      var job = JobDefinition(id: JobID(file.identifier), kind: kind, command: command ?? .shell(""))
      job.readKeys(of: root)
      root.section("schedule") { job.schedule.readKeys(of: $0, zones: zones) }
      root.section("auth") {
        job.auth.readKeys(of: $0, environment: job.environment)
        job.auth.checkProvider(in: $0, among: providers)
      }
      root.section("constraints") { job.constraints.readKeys(of: $0) }
      root.section("limits") { job.limits.readKeys(of: $0) }
      root.section("retry") { job.retry.readKeys(of: $0) }
      job.look(in: root)
      return command == nil ? nil : job
    }
  }

  /// What a run needs of the machine.
  private func look(in root: Section) {
    if let user { root.look(for: .runsAs(user), "user") }
    if let workingDirectory { root.look(for: .folder(workingDirectory), "working_directory") }
    guard case .arguments(let command) = command else { return }
    root.look(forProgramOf: command, searchPath: environment["PATH"], user: user, "command")
  }

  private mutating func readKeys(of root: Section) {
    root.read("description", .line, into: &description)
    root.read("user", .userName, into: &user)
    root.read("working_directory", .absolutePath, into: &workingDirectory)
    root.read("environment", .environment, into: &environment)
    root.read("priority", .integer(in: -1000...1000), into: &priority)
    root.read("overlap", .choice(), into: &overlap)
    root.read("on_interrupted", .choice(), into: &onInterrupted)
  }
}

extension JobDefinition.Limits {
  fileprivate mutating func readKeys(of section: Section) {
    section.read("time_limit", .timeSpan(from: .milliseconds(1)), into: &timeLimit)
    section.read("grace", .timeSpan(to: .seconds(3600)), into: &grace)
    section.read("memory_max", .byteCount, into: &memoryMax)
    if memoryMax != nil {
      section.findings.warning(
        "memory_max is not enforced yet, since runs have no control group of their own; until then let the "
          + "command limit itself, for example with prlimit(1)",
        at: section.position(of: "memory_max"))
    }
  }
}

extension Constraints {
  fileprivate mutating func readKeys(of section: Section) {
    section.read("network", .choice([("any", true)]), into: &network)
    section.read("external_power", .boolean, into: &externalPower)
    section.read("battery_min", .integer(in: 1...100), into: &batteryMin)
    section.read("constraint_wait", .timeSpan(), into: &wait)
    section.read("on_lost", .choice(), into: &onLost)
  }
}

extension RetryPolicy {
  fileprivate mutating func readKeys(of section: Section) {
    section.read("attempts", .integer(in: 1...1000), into: &attempts)
    section.read("backoff", .choice(), into: &backoff)
    section.read("initial", .timeSpan(from: .milliseconds(1)), into: &initial)
    section.read("max", .timeSpan(from: .milliseconds(1)), into: &max)
    if section.has("max"), initial > max {
      section.report(
        "max is shorter than initial, but the longest delay can't be below the first",
        at: section.position(of: "max"))
    } else {
      // An initial delay beyond the default cap is a wish, not a contradiction.
      max = Swift.max(initial, max)
    }
  }
}
