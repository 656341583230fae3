import ControlProtocol
import Glibc
import Testing

@testable import ControlTool

struct ClientTests {
  let folder = TemporaryFolder()

  private func ask(_ patience: Duration = .seconds(60)) throws(ToolError) -> Status {
    try ControlClient(socket: "\(folder.path)/control.sock", advice: "Start it.", patience: patience)
      .ask(.status, for: StatusReply.self).status
  }

  @Test func `a reply is read however it arrives`() throws {
    let daemon = ScriptedDaemon(runtime: folder.path, [.pieces(.status(Samples.status))])
    #expect(try ask() == Samples.status)
    #expect(daemon.finish() == [.status])
  }

  @Test func `several questions share a connection`() throws {
    let daemon = ScriptedDaemon(
      runtime: folder.path, [.reply(.done), .reply(.failure(.noSuchJob("b"))), .reply(.done)])
    let client = try ControlClient(socket: "\(folder.path)/control.sock", advice: "", patience: .seconds(60))
    _ = try client.ask(.pause(Samples.mail), for: EmptyReply.self)
    #expect(throws: ToolError.refused(.noSuchJob("b"))) { try client.ask(.reload, for: EmptyReply.self) }
    _ = try client.ask(.resume(Samples.mail), for: EmptyReply.self)
    #expect(daemon.finish() == [.pause(Samples.mail), .reload, .resume(Samples.mail)])
  }

  private func failure(_ step: ScriptedDaemon.Step, _ patience: Duration = .seconds(60)) -> ToolError? {
    let daemon = ScriptedDaemon(runtime: folder.path, [step])
    defer { _ = daemon.finish() }
    do throws(ToolError) {
      _ = try ask(patience)
      return nil
    } catch {
      return error
    }
  }

  @Test func `a daemon that hangs up is told apart from one that is not there`() {
    #expect(failure(.hangUp) == .hungUp(socket: "\(folder.path)/control.sock", method: "Status"))
  }

  @Test func `half a reply is none`() {
    let hungUp = ToolError.hungUp(socket: "\(folder.path)/control.sock", method: "Status")
    #expect(failure(.cut(Array("{\"parameters\"".utf8))) == hungUp)
  }

  @Test func `a daemon that does not answer costs no more than the patience`() {
    #expect(
      failure(.silence, .milliseconds(50))
        == .timedOut(socket: "\(folder.path)/control.sock", method: "Status"))
  }

  @Test(arguments: ["\0", "nonsense\0", "[]\0", "{\"parameters\":{}}\0", "{\"parameters\":null}\0"])
  func `nonsense is an error`(_ text: String) {
    guard case .refused(.malformed) = failure(.bytes(Array(text.utf8))) else {
      Issue.record("accepted \(text)")
      return
    }
  }

  @Test func `no daemon is a clear sentence with the socket and the remedy`() {
    #expect(
      throws: ToolError.unreachable(
        socket: "\(folder.path)/control.sock", reason: "there is no such socket", advice: "Start it.")
    ) { try ask() }
    let daemon = ScriptedDaemon(runtime: folder.path, [])
    _ = daemon.finish()
    #expect(
      throws: ToolError.unreachable(
        socket: "\(folder.path)/control.sock", reason: "nobody listens there any more", advice: "Start it.")
    ) { try ask() }
  }

  @Test func `a path that no socket can have is refused before it is cut`() {
    let path = "/tmp/" + String(repeating: "x", count: 110)
    do throws(ToolError) {
      _ = try ControlClient(socket: path, advice: "", patience: .seconds(1))
      Issue.record("connected")
    } catch {
      #expect(error.exitCode == .unavailable)
      #expect(error.description.contains("107 bytes"))
    }
  }
}
