import AuthModel
import Glibc
import Scheduling
import Testing

@testable import JobEngine
@testable import LinuxPlatform
@testable import NightlatchDaemon

@Suite struct TokenHandoverTests {
  let stage: Stage
  let obtained = Moment.at(milliseconds: 12_345)

  init() throws { stage = try Stage() }

  private func publish(_ token: String, at moment: Moment? = nil) throws {
    try stage.write("runtime/tokens/work", token)
    let wall = (moment ?? obtained).wall.microseconds
    let time = timespec(tv_sec: Int(wall / 1_000_000), tv_nsec: Int(wall % 1_000_000) * 1000)
    guard utimensat(AT_FDCWD, "\(stage.folders.tokens)/work", [time, time], 0) == 0 else {
      throw PlatformError.last("date the token")
    }
  }

  func present(generation: UInt64 = 7) -> Snapshot.Present {
    Snapshot.Present(
      user: User(id: "u-1", name: nil), tokenGeneration: generation, obtained: obtained, lifetime: nil)
  }

  func launch(_ delivery: AuthPolicy.TokenDelivery, user: String? = nil) -> Launch {
    var job = JobDefinition(id: .sync, command: .shell("true"))
    job.user = user
    return Launch(
      record: .morning(.starting) { $0.attempt = 1 }, job: job, authState: nil,
      token: Launch.Token(provider: .work, generation: 7, delivery: delivery))
  }

  func handover(
    _ delivery: AuthPolicy.TokenDelivery = .file, user: String? = nil, present: Snapshot.Present?
  ) throws(HandoverError) -> TokenHandover {
    let launch = launch(delivery, user: user)
    let token = Launch.Token(provider: .work, generation: 7, delivery: delivery)
    return try TokenHandover(token, launch, folders: stage.folders, present: present)
  }

  var folder: String { "runtime/runs/\(RunRecord.morning(.starting).id)" }

  @Test func `a token by file is the owner's to read, and gone afterwards`() throws {
    try publish("secret")
    let handover = try handover(present: present())
    #expect(handover.environment.map(\.name) == ["NIGHTLATCH_TOKEN_FILE"])
    #expect(handover.environment.first?.value == "\(stage.path)/\(folder)/token")
    #expect(stage.text("\(folder)/token") == "secret")
    #expect(stage.status("\(folder)/token")?.permissions == 0o400)
    #expect(stage.status(folder)?.permissions == 0o700)
    #expect(handover.files.isEmpty)
    handover.discard()
    #expect(!stage.exists(folder))
  }

  @Test(.enabled(if: geteuid() == 0, "needs root"))
  func `another user may read the token and put nothing beside it`() throws {
    try publish("secret")
    let account = try Account(named: "daemon")
    _ = try handover(user: "daemon", present: present())
    #expect(stage.status("\(folder)/token")?.uid == account.uid)
    #expect(stage.status("\(folder)/token")?.permissions == 0o400)
    #expect(stage.status(folder)?.uid == 0)
    #expect(stage.status(folder)?.gid == account.gid)
    #expect(stage.status(folder)?.permissions == 0o710)
  }

  @Test func `what an earlier attempt left is replaced, whatever it is`() throws {
    try publish("secret")
    mkdir("\(stage.path)/\(folder)", 0o700)
    mkdir("\(stage.path)/\(folder)/deep", 0o700)
    try stage.write("\(folder)/token", "old")
    try stage.write("\(folder)/deep/er", "")
    symlink("/", "\(stage.path)/\(folder)/link")
    let handover = try handover(present: present())
    #expect(stage.text("\(folder)/token") == "secret")
    #expect(!stage.exists("\(folder)/deep"))
    handover.discard()
    #expect(!stage.exists(folder))
  }

  @Test func `a token by descriptor is sealed, read from its beginning, and on no file system`() throws {
    try publish("secret")
    let handover = try handover(.fd, present: present())
    #expect(handover.environment.map(\.value) == ["3"])
    let fd = try #require(handover.files.first?.fd)
    #expect(handover.files.first?.number == 3)
    var bytes = [UInt8](repeating: 0, count: 16)
    #expect(read(fd, &bytes, bytes.count) == 6)
    #expect(String(decoding: bytes.prefix(6), as: UTF8.self) == "secret")
    #expect(write(fd, bytes, 1) == -1)
    #expect(ftruncate(fd, 0) == -1)
    #expect(!stage.exists(folder))
    handover.processStarted()
    // Reading nothing tells whether a descriptor is open.
    #expect(read(fd, nil, 0) == -1)
  }

  @Test func `a token in the environment has the name the job gave it`() throws {
    try publish("secret")
    let handover = try handover(.environment("API_TOKEN"), present: present())
    #expect(handover.environment.map(\.name) == ["API_TOKEN"])
    #expect(handover.environment.map(\.value) == ["secret"])
    #expect(!stage.exists(folder))
  }

  // MARK: - Refusals

  func refusal(_ present: Snapshot.Present?, user: String? = nil) -> String? {
    do {
      _ = try handover(user: user, present: present)
      return nil
    } catch {
      return error.description
    }
  }

  @Test func `a token of another moment, another generation or no session is not handed over`() throws {
    try publish("secret", at: .at(milliseconds: 12_346))
    let outdated = "not the one that the auth cache describes"
    #expect(refusal(present())?.contains(outdated) == true)
    try publish("secret")
    #expect(refusal(present(generation: 8))?.contains(outdated) == true)
    #expect(refusal(nil)?.contains(outdated) == true)
    #expect(refusal(present()) == nil)
  }

  @Test func `a token file that is missing, empty, too large, a link, a folder or a pipe is refused`() throws
  {
    let path = "\(stage.folders.tokens)/work"
    let says = { (words: String) in
      let refusal = self.refusal(self.present())
      #expect(refusal?.contains(words) == true, "\(refusal ?? "handed over")")
      self.stage.remove("runtime/tokens/work")
    }
    says("No such file")
    try publish("")
    says("empty")
    try publish(String(repeating: "x", count: 64 * 1024 + 1))
    says("too large")
    try stage.write("elsewhere", "secret")
    symlink("\(stage.path)/elsewhere", path)
    says("symbolic links")
    mkdir(path, 0o700)
    says("no regular file")
    mkfifo(path, 0o600)
    says("no regular file")
    #expect(!stage.exists(folder))
  }

  @Test func `an unknown user is refused, and nothing is left behind`() throws {
    try publish("secret")
    #expect(refusal(present(), user: "nobody-such")?.contains("no such user") == true)
    #expect(!stage.exists(folder))
  }

  @Test func `no refusal repeats the token`() throws {
    try publish("secret-secret", at: .at(milliseconds: 1))
    #expect(refusal(present())?.contains("secret-secret") == false)
  }
}
