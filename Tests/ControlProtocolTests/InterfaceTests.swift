import ControlProtocol
import FoundationEssentials
import Testing

@Suite struct InterfaceTests {
  let interface: Interface

  init() throws { interface = try Interface(InterfaceDescription.control) }

  @Test func `the embedded description is the shipped file to the byte`() throws {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let path = "/\(root)/Sources/ControlProtocol/org.nightlatch.Control.varlink"
    let file = try Data(contentsOf: URL(filePath: path))
    #expect(Data(InterfaceDescription.control.utf8) == file)
  }

  @Test func `no name is used twice, not even for a type and a method`() {
    let names = Array(interface.types.keys) + Array(interface.methods.keys) + Array(interface.errors.keys)
    #expect(Set(names).count == names.count)
  }

  @Test func `the descriptions name their interfaces`() throws {
    #expect(interface.name == "org.nightlatch.Control")
    #expect(try Interface(InterfaceDescription.service).name == "org.varlink.service")
    #expect(InterfaceDescription.names.allSatisfy { InterfaceDescription.text(of: $0) != nil })
  }

  @Test(arguments: Samples.calls) func `a call is what the description says`(_ call: ControlCall) throws {
    let message = try JSON(frame: call.frame)
    #expect(message["method"] == .string(call.method))
    let service = try Interface(InterfaceDescription.service)
    let (name, member) = (
      call.method.split(separator: ".").dropLast(), call.method.split(separator: ".").last
    )
    let described = name.joined(separator: ".") == service.name ? service : interface
    let method = try #require(described.methods[String(member ?? "")])
    let parameters = try #require(message["parameters"])
    #expect(described.differences(of: parameters, from: method.input, at: call.method) == [])
  }

  @Test func `there is a sample of every method and every error`() throws {
    #expect(Set(Samples.replies.map(\.method)) == Set(interface.methods.keys))
    let sent = Set(Samples.calls.map(\.method)).filter { $0.hasPrefix("org.nightlatch.Control.") }
    #expect(sent.count == interface.methods.count)
    let names = try Samples.errors.map { try JSON(reply: .failure($0))["error"] }
    for error in interface.errors.keys {
      #expect(names.contains(.string("org.nightlatch.Control.\(error)")))
    }
  }

  @Test func `a reply is what the description says`() throws {
    for (name, reply) in Samples.replies {
      let method = try #require(interface.methods[name])
      let parameters = try #require(JSON(reply: reply)["parameters"])
      #expect(interface.differences(of: parameters, from: method.output, at: name) == [])
    }
  }

  @Test func `every optional field of a type is in a sample`() throws {
    var run = Run(Samples.record)
    run.nextAttempt = Timestamp(Samples.wall)
    run.blocked = "tokens refused"
    let samples: [(String, ControlReply, String)] = [
      ("DaemonStatus", .status(Samples.status), "status"), ("Run", .run(run), "run"),
    ]
    for (type, reply, member) in samples {
      guard case .record(let fields) = interface.types[type] else { continue }
      let value = try #require(JSON(reply: reply)["parameters"]?[member])
      let missing = fields.map(\.name).filter { value[$0] == nil }
      #expect(missing == (type == "Run" ? ["signal"] : []))
    }
  }

  @Test(arguments: Samples.errors) func `an error is what the description says`(_ error: ProtocolError) throws
  {
    let message = try JSON(reply: .failure(error))
    guard case .string(let name) = message["error"] else {
      Issue.record("no error in \(message)")
      return
    }
    let described = try name.hasPrefix("org.varlink.") ? Interface(InterfaceDescription.service) : interface
    let kind = try #require(described.errors[String(name.split(separator: ".").last ?? "")])
    let parameters = try #require(message["parameters"])
    #expect(described.differences(of: parameters, from: kind, at: name) == [])
  }
}
