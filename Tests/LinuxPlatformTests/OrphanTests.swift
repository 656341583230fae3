import Glibc
import Testing

@testable import LinuxPlatform

/// Each in a process of its own: a process becomes a subreaper once and for all.
@Suite(.timeLimit(.minutes(1)))
struct OrphanTests {
  @Test func `a daemon that fled its run's session is killed, another run's is not`() async {
    await #expect(processExitsWith: .success) {
      let orphans = try await Orphans()
      let first = try await OrphanTests.flee(run: "one")
      let second = try await OrphanTests.flee(run: "two")
      let other = try await ChildProcess.spawn(JobZoo.shell("exec sleep 1000"))
      await OrphanTests.end(orphans, RunMark(run: "one", attempt: 1))
      #expect(ProcessTable.entry(of: first) == nil)
      #expect(ProcessTable.entry(of: second)?.parent == getpid())
      #expect(ProcessTable.entry(of: second)?.isZombie == false)
      await OrphanTests.end(orphans, RunMark(run: "two", attempt: 1))
      #expect(ProcessTable.entry(of: second) == nil)
      #expect(await other.exit == nil)
      await other.signal(SIGKILL)
      _ = await JobZoo.waitForExit(other)
      await orphans.cancel()
    }
  }

  @Test func `the next attempt's processes are not the last one's`() async {
    await #expect(processExitsWith: .success) {
      let orphans = try await Orphans()
      let second = try await OrphanTests.flee(run: "one", attempt: 2)
      let other = try await ChildProcess.spawn(JobZoo.shell("exec sleep 1000"))
      await OrphanTests.end(orphans, RunMark(run: "one", attempt: 1))
      #expect(ProcessTable.entry(of: second)?.isZombie == false)
      await OrphanTests.end(orphans, RunMark(run: "one", attempt: 2))
      #expect(ProcessTable.entry(of: second) == nil)
      await other.signal(SIGKILL)
      _ = await JobZoo.waitForExit(other)
      await orphans.cancel()
    }
  }

  @Test func `a background job in a group of its own is found by its session`() async {
    await #expect(processExitsWith: .success) {
      let orphans = try await Orphans()
      // bash -m puts each job in its own process group; env -i hides the run's mark.
      let (pid, session) = try await OrphanTests.start(
        "exec bash -mc 'env -i /bin/sleep 1000 >/dev/null 2>&1 & echo $!'", run: "one")
      // Another run is alive, so that a process without an owner would be left alone.
      let other = try await ChildProcess.spawn(JobZoo.shell("exec sleep 1000"))
      await OrphanTests.end(orphans, RunMark(run: "one", attempt: 1), session: session)
      #expect(ProcessTable.entry(of: pid) == nil)
      await other.signal(SIGKILL)
      _ = await JobZoo.waitForExit(other)
      await orphans.cancel()
    }
  }

  @Test func `who hides everything is killed when no run is left`() async {
    await #expect(processExitsWith: .success) {
      let orphans = try await Orphans()
      let other = try await ChildProcess.spawn(JobZoo.shell("exec sleep 1000"))
      let (pid, session) = try await OrphanTests.start(
        "pid=$(setsid env -i /bin/sh -c '/bin/sleep 1000 >/dev/null 2>&1 & echo $!'); echo $pid",
        run: "one")
      await OrphanTests.end(orphans, RunMark(run: "one", attempt: 1), session: session)
      #expect(ProcessTable.entry(of: pid)?.isZombie == false)
      await other.signal(SIGKILL)
      _ = await JobZoo.waitForExit(other)
      await OrphanTests.end(orphans, RunMark(run: "two", attempt: 1))
      // Killed by now, and reaped when its end is signalled.
      await orphans.cancel()
      let entry = ProcessTable.entry(of: pid)
      var result = siginfo_t()
      if entry != nil { waitid(P_PID, id_t(pid), &result, WEXITED | WNOWAIT) }
      #expect(ProcessTable.entry(of: pid)?.isZombie ?? true)
    }
  }

  @Test func `orphans that end by themselves are reaped, children of others are not`() async {
    await #expect(processExitsWith: .success) {
      let orphans = try await Orphans()
      // A child that some other code of this process started, in this process's session.
      var pid: pid_t = 0
      let arguments = try CStringArray(["/bin/true"], what: "the command")
      _ = arguments.with { posix_spawn(&pid, "/bin/true", nil, nil, $0, nil) }
      let (orphan, _) = try await OrphanTests.start("(setsid true & echo $!)", run: "one")
      await OrphanTests.end(orphans, RunMark(run: "one", attempt: 1))
      while let entry = ProcessTable.entry(of: orphan), entry.parent == getpid() {
        await withCheckedContinuation { turn in Task { @MainActor in Later.run { turn.resume() } } }
      }
      var status: Int32 = -1
      #expect(waitpid(pid, &status, 0) == pid)
      #expect(status == 0)
      await orphans.cancel()
    }
  }

  @Test func `an adopted run's processes are killed wherever they are`() async throws {
    var spec = JobZoo.shell("setsid /bin/sh -c 'echo $$; exec sleep 1000'; wait")
    spec.environment += [("NIGHTLATCH_RUN", "adopted-\(getpid())"), ("NIGHTLATCH_ATTEMPT", "1")]
    let child = try ChildProcess.spawn(spec)
    let reader = try JobZoo.Reader(child)
    _ = await reader.line.next()
    #expect(Orphans.kill(strangersOf: RunMark(run: "adopted-\(getpid())", attempt: 2)) == 0)
    #expect(Orphans.kill(strangersOf: RunMark(run: "adopted-\(getpid())", attempt: 1)) == 2)
    #expect(await JobZoo.waitForExit(child) == .signalled(SIGKILL))
    await reader.ended.next()
  }

  /// Starts a run and ends it, leaving a process in another session; returns that one's pid.
  private static func flee(run: String, attempt: Int = 1) async throws -> Int32 {
    try await start(
      "pid=$(setsid /bin/sh -c 'sleep 1000 >/dev/null 2>&1 & echo $!'); echo $pid", run: run, attempt: attempt
    ).pid
  }

  /// Runs a script that prints a process's pid, to its end.
  private static func start(
    _ script: String, run: String, attempt: Int = 1
  ) async throws -> (pid: Int32, session: Int32) {
    var spec = JobZoo.shell(script)
    spec.environment += [("NIGHTLATCH_RUN", run), ("NIGHTLATCH_ATTEMPT", "\(attempt)")]
    let child = try ChildProcess.spawn(spec)
    let reader = try JobZoo.Reader(child)
    // bash may first complain that it has no terminal.
    let pid = try #require(Int32(await reader.line.first { Int32($0) != nil }))
    _ = await JobZoo.waitForExit(child)
    reader.close()
    return (pid, child.pid)
  }

  private static func end(_ orphans: Orphans, _ mark: RunMark, session: Int32? = nil) async {
    await withCheckedContinuation { done in orphans.end(mark, session: session) { done.resume() } }
  }
}
