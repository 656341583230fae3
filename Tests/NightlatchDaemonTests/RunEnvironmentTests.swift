import AuthModel
import Glibc
import Scheduling
import Testing

@testable import JobEngine
@testable import LinuxPlatform
@testable import NightlatchDaemon

@Suite struct RunEnvironmentTests {
  let folders = Folders(
    mode: .user, configuration: "/c", vendor: nil, state: "/s", runtime: "/r")

  func launch(_ change: (inout Launch) -> Void = { _ in }) -> Launch {
    var launch = Launch(
      record: .morning(.starting) { $0.attempt = 2 },
      job: JobDefinition(id: .sync, command: .arguments(["sync", "--all"])), authState: nil, token: nil)
    change(&launch)
    return launch
  }

  func spec(_ change: (inout Launch) -> Void = { _ in }) throws -> LaunchSpec {
    try RunEnvironment(launch(change), folders, nil).spec
  }

  func variables(_ change: (inout Launch) -> Void = { _ in }) throws -> [String: String] {
    let environment = try spec(change).environment
    return Dictionary(environment.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
  }

  @Test func `a run gets its account and what names it, and nothing of the daemon's own`() throws {
    let account = try #require(Account.current())
    #expect(
      try variables() == [
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": account.home,
        "USER": account.name, "LOGNAME": account.name,
        "SHELL": account.shell.isEmpty ? "/bin/sh" : account.shell, "NIGHTLATCH_JOB": "com.example.sync",
        "NIGHTLATCH_RUN": RunRecord.morning(.starting).id.description, "NIGHTLATCH_ATTEMPT": "2",
        "NIGHTLATCH_DUE": "2026-11-30T08:00:00Z", "NIGHTLATCH_CONFIG": "/c", "NIGHTLATCH_STATE": "/s",
        "NIGHTLATCH_RUNTIME": "/r",
      ])
  }

  @Test func `the session is told by name and by the person's id`() throws {
    let user = User(id: "u-1", name: "Ada")
    let authenticated = try variables {
      $0.record.provider = .work
      $0.authState = .authenticated(user)
    }
    #expect(authenticated["NIGHTLATCH_PROVIDER"] == "work")
    #expect(authenticated["NIGHTLATCH_AUTH_STATE"] == "authenticated")
    #expect(authenticated["NIGHTLATCH_USER_ID"] == "u-1")
    let nobody = try variables {
      $0.record.provider = .work
      $0.authState = .unauthenticated(.loggedOut)
    }
    #expect(nobody["NIGHTLATCH_AUTH_STATE"] == "unauthenticated")
    #expect(nobody["NIGHTLATCH_USER_ID"] == nil)
  }

  @Test func `the job file's variables replace the account's, and never name the run`() throws {
    let environment = try variables {
      $0.job.environment = ["PATH": "/opt/bin", "LANG": "C", "NIGHTLATCH_RUN": "forged"]
    }
    #expect(environment["PATH"] == "/opt/bin")
    #expect(environment["LANG"] == "C")
    #expect(environment["NIGHTLATCH_RUN"] == RunRecord.morning(.starting).id.description)
  }

  @Test func `a command is run as it is, a script by the shell`() throws {
    #expect(try spec().command == ["sync", "--all"])
    #expect(try spec { $0.job.command = .shell("a | b") }.command == ["/bin/sh", "-c", "a | b"])
  }

  @Test func `a run begins at home, in the folder it names, or in the root folder`() throws {
    #expect(try spec().workingFolder == Account.current()?.home)
    #expect(try spec { $0.job.workingDirectory = "/srv" }.workingFolder == "/srv")
    // Debian gives `nobody` a home that does not exist.
    #expect(try spec { $0.job.user = "nobody" }.workingFolder == "/")
  }

  @Test func `another user's run has that user's account`() throws {
    let environment = try variables { $0.job.user = "daemon" }
    #expect(environment["USER"] == "daemon")
    #expect(environment["LOGNAME"] == "daemon")
    #expect(environment["HOME"] == "/usr/sbin")
  }

  @Test func `an unknown user is refused by name`() {
    #expect(throws: PlatformError.unknownUser("nobody-such")) { try spec { $0.job.user = "nobody-such" } }
  }
}
