import ControlProtocol
import Testing

@Suite struct ReplyTests {
  @Test(arguments: Samples.errors) func `an error survives the wire`(_ error: ProtocolError) throws {
    let frame = try #require(ControlReply.failure(error).frame)
    #expect(throws: error) { try ControlReply.decode(EmptyReply.self, from: frame) }
    #expect(
      error.description.hasSuffix(".") || error.description.hasSuffix("?") || error.description.contains(": ")
    )
  }

  @Test func `an error of a newer daemon is told by its name`() {
    let frame = Array(#"{"error":"org.nightlatch.Control.New"}"#.utf8)
    #expect(throws: ProtocolError.unknown(name: "org.nightlatch.Control.New")) {
      try ControlReply.decode(EmptyReply.self, from: frame)
    }
  }

  @Test func `a body survives the wire`() throws {
    let status = try #require(ControlReply.status(Samples.status).frame)
    #expect(try ControlReply.decode(StatusReply.self, from: status).status == Samples.status)
    let jobs = try #require(ControlReply.jobs([Samples.jobMessage]).frame)
    #expect(try ControlReply.decode(JobsReply.self, from: jobs).jobs == [Samples.jobMessage])
    let run = Run(Samples.record)
    let why = try #require(ControlReply.explanation(run, [Samples.attempt], ["a", "b"]).frame)
    let body = try ControlReply.decode(ExplanationReply.self, from: why)
    #expect(body.run == run)
    #expect(body.attempts == [Samples.attempt])
    #expect(body.explanation == ["a", "b"])
  }

  @Test func `a field that a newer daemon added is no obstacle`() throws {
    let frame = Array(#"{"parameters":{"entries":[],"total":3,"colour":"red"},"continues":false}"#.utf8)
    #expect(try ControlReply.decode(QueueReply.self, from: frame).total == 3)
  }

  @Test(arguments: ["{}", "{\"parameters\":{}}", "[]", "", "{\"parameters\":{\"entries\":3}}"])
  func `a reply that is not one is refused`(_ text: String) {
    #expect(throws: ProtocolError.self) { try ControlReply.decode(QueueReply.self, from: Array(text.utf8)) }
  }

  @Test func `messages are compact and hold no NUL`() throws {
    let frame = try #require(ControlReply.cancelled(["a/b", "c\0d"]).frame)
    #expect(
      String(decoding: frame, as: UTF8.self) == "{\"parameters\":{\"cancelled\":[\"a/b\",\"c\\u0000d\"]}}")
  }

  @Test func `the service interface is answered without the daemon`() throws {
    let info = ServiceInfo(version: "1.2.3")
    #expect(info.reply(to: .getInfo) == .info(info))
    #expect(info.interfaces == ["org.varlink.service", "org.nightlatch.Control"])
    #expect(
      info.reply(to: .getInterfaceDescription("org.nightlatch.Control"))
        == .interfaceDescription(InterfaceDescription.control))
    #expect(info.reply(to: .getInterfaceDescription("a.b")) == .failure(.interfaceNotFound("a.b")))
    #expect(info.reply(to: .status) == nil)
  }
}
