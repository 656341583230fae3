import Glibc
import Testing

@testable import LinuxPlatform

@Suite(.timeLimit(.minutes(1)))
struct ChildProcessTests {
  @Test(arguments: [
    ("true", ProcessExit.exited(code: 0)),
    ("false", .exited(code: 1)),
    ("exit 75", .exited(code: 75)),
    ("exit 77", .exited(code: 77)),
    ("exit 255", .exited(code: 255)),
    ("kill -TERM $$", .signalled(SIGTERM)),
    ("kill -KILL $$", .signalled(SIGKILL)),
  ])
  func `the exit status is reported`(script: String, exit: ProcessExit) async throws {
    #expect(try await JobZoo.run(script).exit == exit)
  }

  @Test func `a command without a slash is found in the PATH it is given`() async throws {
    let spec = LaunchSpec(command: ["printf", "%s", "hello"], environment: JobZoo.environment)
    #expect(try await JobZoo.run(spec).text == "hello")
  }

  @Test func `a command that is missing is refused by name`() {
    expectFailure(LaunchSpec(command: ["/no/such/thing"]), .commandNotFound("/no/such/thing", searched: nil))
    expectFailure(
      LaunchSpec(command: ["no-such-thing"], environment: [("PATH", "/usr/bin")]),
      .commandNotFound("no-such-thing", searched: "/usr/bin"))
    expectFailure(LaunchSpec(command: []), .unrepresentable(what: "the command", why: "it is empty"))
  }

  @Test func `a file that is not executable is refused by name`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("script", "#!/bin/sh\n", mode: 0o644)
    expectFailure(LaunchSpec(command: [path]), .notExecutable(path, user: nil))
    expectFailure(LaunchSpec(command: [folder.path]), .notExecutable(folder.path, user: nil))
  }

  @Test func `a script without an interpreter is the kernel's refusal in words`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("script", "#!/no/such/interpreter\n", mode: 0o755)
    expectFailure(LaunchSpec(command: [path]), .system(attempt: "start '\(path)'", errno: ENOENT))
  }

  @Test func `a zero byte in an argument or the environment is refused, not cut off`() {
    let why = "it contains a zero byte"
    expectFailure(
      LaunchSpec(command: ["/bin/echo", "a\0b"]), .unrepresentable(what: "the command", why: why))
    expectFailure(
      LaunchSpec(command: ["/bin/true"], environment: [("A", "a\0b")]),
      .unrepresentable(what: "the run's environment", why: why))
  }

  @Test func `a folder that is missing is refused by name`() {
    let attempt = "start in the folder '/no/such/folder'"
    expectFailure(
      LaunchSpec(command: ["/bin/true"], workingFolder: "/no/such/folder"),
      .system(attempt: attempt, errno: ENOENT))
  }

  @Test func `an unknown user is refused by name`() {
    expectFailure(
      LaunchSpec(command: ["/bin/true"], user: "no-such-user"), .unknownUser("no-such-user"))
  }

  @Test(.enabled(if: geteuid() == 0))
  func `a run can be another user's`() async throws {
    let nobody = try Account(named: "nobody")
    let spec = LaunchSpec(
      command: ["sh", "-c", "id -u; id -g; id -G; grep -E '^Cap(Inh|Prm|Eff|Amb)' /proc/self/status; pwd"],
      environment: JobZoo.environment, workingFolder: "/tmp", user: "nobody")
    let result = try await JobZoo.run(spec)
    let lines = result.text.split(separator: "\n").map(String.init)
    #expect(lines.prefix(3) == ["\(nobody.uid)", "\(nobody.gid)", "\(nobody.gid)"])
    #expect(lines.dropFirst(3).prefix(4).allSatisfy { $0.hasSuffix("0000000000000000") }, "\(lines)")
    #expect(lines.last == "/tmp")
  }

  @Test(.enabled(if: geteuid() == 0))
  func `what only root may execute is refused to another user by name`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("script", "#!/bin/sh\n", mode: 0o700)
    expectFailure(
      LaunchSpec(command: [path], user: "nobody"), .notExecutable(path, user: "nobody"))
  }

  @Test func `the environment is exactly the given one`() async throws {
    let spec = LaunchSpec(command: ["/usr/bin/env"], environment: [("A", "1"), ("B", "x=y z")])
    #expect(try await JobZoo.run(spec).text == "A=1\nB=x=y z")
  }

  @Test func `no signal is blocked or ignored in a child`() async throws {
    SignalWatch.ignoreBrokenPipes()
    let result = try await JobZoo.run("exec cat /proc/self/status")
    func mask(_ name: String) throws -> UInt64 {
      let line = try #require(result.text.split(separator: "\n").first { $0.hasPrefix(name) })
      return try #require(UInt64(line.dropFirst(name.count + 2), radix: 16))
    }
    #expect(try mask("SigBlk") == 0)
    // glibc ignores its two internal signals, 32 and 33, in every process that it spawns.
    #expect(try mask("SigIgn") & ~0x1_8000_0000 == 0)
    #expect(try mask("SigCgt") == 0)
  }

  @Test func `a child has standard input, output and error, and nothing else`() async throws {
    // One that is not close-on-exec, as a careless library would leave it.
    let careless = open("/dev/null", O_RDONLY)
    defer { close(careless) }
    // ls has one more, for the folder it lists.
    let result = try await JobZoo.run("exec ls /proc/self/fd")
    #expect(result.text.split(separator: "\n") == ["0", "1", "2", "3"])
    #expect(try await JobZoo.run("exec readlink /proc/self/fd/0").text == "/dev/null")
  }

  @Test func `further files arrive under their numbers, also when numbers cross`() async throws {
    let folder = try TemporaryFolder()
    let paths = try ["one", "two"].map { try folder.file($0, $0) }
    let fds = paths.map { open($0, O_RDONLY | O_CLOEXEC) }
    defer { for fd in fds { close(fd) } }
    var spec = JobZoo.shell("cat <&3; cat <&7; ls /proc/self/fd | tr '\\n' ' '")
    spec.files = [(fds[1], 3), (fds[0], 7)]
    #expect(try await JobZoo.run(spec).text == "twoone0 1 2 3 4 7 ")
    let crossed = LaunchSpec(
      command: ["/bin/sh", "-c", "cat /proc/self/fd/\(fds[1]) /proc/self/fd/\(fds[0])"],
      environment: JobZoo.environment,
      files: [(fds[0], fds[1]), (fds[1], fds[0])])
    #expect(try await JobZoo.run(crossed).text == "onetwo")
  }

  @Test func `a child leads its own session and group`() async throws {
    let child = try ChildProcess.spawn(JobZoo.shell("cat; exec sleep 1000"))
    let entry = try #require(ProcessTable.entry(of: child.pid))
    #expect(entry.session == child.pid)
    #expect(entry.group == child.pid)
    #expect(entry.startTicks == child.startTicks)
    #expect(entry.parent == getpid())
    child.signal(SIGKILL)
    #expect(await JobZoo.waitForExit(child) == .signalled(SIGKILL))
    child.signal(SIGKILL)
    #expect(ProcessTable.entry(of: child.pid) == nil)
  }

  @Test func `who ignores SIGTERM ends with SIGKILL`() async throws {
    let child = try ChildProcess.spawn(
      JobZoo.shell("trap 'echo no' TERM; echo ready; while :; do sleep 1; done"))
    let reader = try JobZoo.Reader(child)
    _ = await reader.line.first { $0 == "ready" }
    child.signal(SIGTERM)
    _ = await reader.line.first { $0 == "no" }
    #expect(child.exit == nil)
    child.signal(SIGKILL)
    #expect(await JobZoo.waitForExit(child) == .signalled(SIGKILL))
    reader.close()
  }

  @Test func `the rest of the group dies with its leader`() async throws {
    let result = try await JobZoo.run("sleep 1000 & echo $!; exit 0")
    // Its output ended, so the sleeper, which held the pipe, is gone.
    #expect(result.exit == .exited(code: 0))
    #expect(Int32(result.text) != nil)
  }

  @Test func `a process that is not ours can be followed to its end`() async throws {
    // The shell's child is adopted while the shell, which waits for it, keeps it from being reaped.
    let parent = try ChildProcess.spawn(JobZoo.shell("sleep 1000 & echo $!; wait; read x"))
    let reader = try JobZoo.Reader(parent)
    let pid = try #require(Int32(await reader.line.next()))
    let ticks = try #require(ProcessTable.startTicks(of: pid))
    #expect(throws: PlatformError.processGone(pid: pid)) {
      try ChildProcess.adopt(pid: pid, startTicks: ticks + 1)
    }
    let adopted = try ChildProcess.adopt(pid: pid, startTicks: ticks)
    kill(pid, SIGTERM)
    #expect(await JobZoo.waitForExit(adopted) == .unknown)
    #expect(throws: PlatformError.processGone(pid: pid)) {
      try ChildProcess.adopt(pid: pid, startTicks: ticks)
    }
    parent.signal(SIGKILL)
    _ = await JobZoo.waitForExit(parent)
    reader.close()
  }

  @Test func `a hundred children at once are all collected`() async throws {
    let exits = Events<ProcessExit>()
    for code in 0..<100 {
      let child = try ChildProcess.spawn(
        LaunchSpec(command: ["/bin/sh", "-c", "exit \(code)"]))
      for pipe in [child.output, child.errors].compactMap({ $0 }) { close(pipe) }
      child.onExit = { exits.post($0) }
    }
    var codes = Set<ProcessExit>()
    for _ in 0..<100 { codes.insert(await exits.next()) }
    #expect(codes == Set((0..<100).map { .exited(code: $0) }))
  }

  /// In a process of its own, as other tests open files; and often, as the runtime opens one now and then.
  @Test func `a failed start leaves no file open`() async {
    await #expect(processExitsWith: .success) { @MainActor in
      let before = try #require(SourceFiles.names(in: "/proc/self/fd")).count
      for _ in 0..<32 {
        #expect(throws: PlatformError.self) { try ChildProcess.spawn(LaunchSpec(command: ["/etc/passwd"])) }
        #expect(throws: PlatformError.self) {
          try ChildProcess.spawn(LaunchSpec(command: ["/bin/true"], files: [(9999, 3)]))
        }
      }
      let after = try #require(SourceFiles.names(in: "/proc/self/fd")).count
      #expect(after < before + 32)
    }
  }

  private func expectFailure(
    _ spec: LaunchSpec, _ failure: PlatformError, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(throws: failure, sourceLocation: sourceLocation) { try ChildProcess.spawn(spec) }
  }
}
