import AuthModel
import ControlProtocol
import Glibc
import JobEngine
import Testing

@testable import LinuxPlatform
@testable import NightlatchDaemon

@Suite(.timeLimit(.minutes(1))) struct AccessTests {
  nonisolated static let looks: [ControlCall] = [
    .status, .listJobs(nil), .listQueue(job: nil, provider: nil, limit: nil),
    .listRuns(job: nil, state: nil, limit: nil), .getRun(RunID(rawValue: 1)), .why(.newest(.sync)),
    .listAuth(nil), .getInfo, .getInterfaceDescription("x"),
  ]
  nonisolated static let acts: [ControlCall] = [
    .runJob(.sync, wait: false), .cancel(.job(.sync)), .pause(.sync), .resume(.sync),
    .foreground(nil, wait: false), .reload, .networkRestored,
  ]
  nonisolated static let token = ControlCall.getToken(.work, minValid: nil, wait: nil)
  /// Some user who is neither root nor the daemon's.
  nonisolated static let stranger = PeerCredentials(pid: 1, uid: 65_534, gid: 65_534)

  @Test func `root and the daemon's own user may do everything`() throws {
    let daemon = try Stage().daemon()
    for uid in [0, geteuid()] {
      let peer = PeerCredentials(pid: 1, uid: uid, gid: 0)
      for call in Self.looks + Self.acts + [Self.token] {
        #expect(daemon.access.refusal(of: call, by: peer, in: daemon) == nil)
      }
    }
  }

  /// What of these the peer may not do.
  func refused(
    _ calls: [ControlCall], _ peer: PeerCredentials, _ daemon: Daemon, by access: Access? = nil
  ) -> [ControlCall] {
    calls.filter { call in
      if case .notPermitted = (access ?? daemon.access).refusal(of: call, by: peer, in: daemon) {
        true
      } else {
        false
      }
    }
  }

  @Test func `a stranger may do nothing`() throws {
    let daemon = try Stage().daemon()
    let calls = Self.looks + Self.acts + [Self.token]
    #expect(refused(calls, Self.stranger, daemon) == calls)
  }

  @Test func `the group may look, and do nothing else`() throws {
    let daemon = try Stage().daemon()
    let access = Access(group: "daemon")
    let id = try #require(getgrnam(access.group)).pointee.gr_gid
    let member = PeerCredentials(pid: 1, uid: 65_534, gid: id)
    let calls = Self.looks + Self.acts + [Self.token]
    #expect(refused(calls, member, daemon) == calls)
    #expect(refused(calls, member, daemon, by: access) == Self.acts + [Self.token])
    #expect(daemon.access.group == "nightlatch")
  }

  @Test(
    arguments: [
      ("allow_users = ['nobody']", true), ("allow_users = ['65534']", true),
      ("allow_groups = ['nogroup']", true),
      ("allow_groups = ['4242']", true), ("allow_users = ['daemon']", false),
      ("allow_groups = ['daemon']", false),
      ("allow_users = ['nosuchuser']", false), ("allow_groups = ['nosuchgroup', '4243']", false),
    ])
  func `users and groups of the provider's file may have its token, and nothing else`(
    _ keys: String, _ isAllowed: Bool
  ) throws {
    let stage = try Stage()
    try stage.provider()
    try stage.write("config/providers.d/work.toml", stage.text("config/providers.d/work.toml") + keys)
    let daemon = try stage.daemon()
    // A member of 4242 by its process alone: no user database knows it.
    let peer = PeerCredentials(pid: 1, uid: 65_534, gid: 65_534, groups: [4242])
    #expect((daemon.access.refusal(of: Self.token, by: peer, in: daemon) == nil) == isAllowed)
    let other = ControlCall.getToken(ProviderName("home"), minValid: nil, wait: nil)
    #expect(refused(Self.looks + Self.acts + [other], peer, daemon) == Self.looks + Self.acts + [other])
  }

  @Test func `a run's processes may have the token of its own provider, whoever they run as`() async throws {
    let stage = try Stage()
    try stage.provider()
    try stage.job(
      .sync, "shell = 'sleep 1000 & echo $! > \(stage.path)/child; wait'\n[auth]\nprovider = 'work'\n")
    let daemon = try stage.daemon()
    daemon.request(.run(.sync))
    try await until { stage.text("child").hasSuffix("\n") }
    let run = try #require(try daemon.run())
    let leader = try #require(run.process?.pid)
    let child = try #require(Int32(stage.text("child").dropLast()))
    for pid in [leader, child] {
      let peer = PeerCredentials(pid: pid, uid: 65_534, gid: 65_534)
      #expect(daemon.access.refusal(of: Self.token, by: peer, in: daemon) == nil)
      #expect(
        daemon.access.refusal(
          of: .getToken(ProviderName("home"), minValid: nil, wait: nil), by: peer, in: daemon) != nil
      )
      #expect(daemon.access.refusal(of: .reload, by: peer, in: daemon) != nil)
    }
    daemon.request(.cancel([run]))
    try await until { try daemon.run()?.state == .cancelled }
    // The numbers are nobody's any more.
    let peer = PeerCredentials(pid: leader, uid: 65_534, gid: 65_534)
    #expect(daemon.access.refusal(of: Self.token, by: peer, in: daemon) != nil)
  }
}
