import ControlProtocol
import JobEngine
import SeededRandom
import Testing

@Suite struct RequestTests {
  @Test(arguments: Samples.calls) func `a call survives the wire`(_ call: ControlCall) throws {
    let request = try Request(decoding: call.frame)
    #expect(try request.call.get() == call)
    #expect(!request.isOneway)
    #expect(!request.wantsMore)
  }

  @Test func `flags are read`() throws {
    let frame = #"{"method":"org.nightlatch.Control.Status","oneway":true,"more":true}"#
    let request = try Request(decoding: Array(frame.utf8))
    #expect(request.isOneway)
    #expect(request.wantsMore)
    #expect(try request.call.get() == .status)
  }

  @Test(
    arguments: [
      (#"{"method":"org.nightlatch.Control.Nope"}"#, .methodNotFound("org.nightlatch.Control.Nope")),
      (#"{"method":"org.example.Nope"}"#, .interfaceNotFound("org.example")),
      (#"{"method":""}"#, .methodNotFound("")),
      (#"{"method":"."}"#, .interfaceNotFound("")),
      (#"{"method":"org.nightlatch.Control.Status","parameters":[]}"#, .invalidParameter("parameters")),
      (#"{"method":"org.nightlatch.Control.Status","upgrade":true}"#, .invalidParameter("upgrade")),
      (#"{"method":"org.nightlatch.Control.Status","parameters":{"job":"x"}}"#, .invalidParameter("job")),
      (#"{"method":"org.nightlatch.Control.Pause"}"#, .invalidParameter("job")),
      (#"{"method":"org.nightlatch.Control.Pause","parameters":{"job":null}}"#, .invalidParameter("job")),
      (#"{"method":"org.nightlatch.Control.Pause","parameters":{"job":3}}"#, .invalidParameter("job")),
      (#"{"method":"org.nightlatch.Control.Cancel","parameters":{"jbo":"x"}}"#, .invalidParameter("job")),
      (
        #"{"method":"org.nightlatch.Control.Cancel","parameters":{"job":"x","rnu":"y"}}"#,
        .invalidParameter("rnu")
      ),
      (
        #"{"method":"org.nightlatch.Control.Cancel","parameters":{"job":"x","run":"0000000000000001"}}"#,
        .invalidParameter("job")
      ),
      (
        #"{"method":"org.nightlatch.Control.Why","parameters":{"due":"2027-01-01T00:00:00Z"}}"#,
        .invalidParameter("job")
      ),
      (
        #"{"method":"org.nightlatch.Control.Why","parameters":{"job":"x","due":"soon"}}"#,
        .invalidParameter("due")
      ),
      (#"{"method":"org.nightlatch.Control.GetRun","parameters":{"run":"xyz"}}"#, .noSuchRun("xyz")),
      (
        #"{"method":"org.nightlatch.Control.ListRuns","parameters":{"state":"asleep"}}"#,
        .invalidParameter("state")
      ),
      (#"{"method":"org.nightlatch.Control.ListRuns","parameters":{"limit":0}}"#, .invalidParameter("limit")),
      (
        #"{"method":"org.nightlatch.Control.ListRuns","parameters":{"limit":1e99}}"#,
        .invalidParameter("limit")
      ),
      (
        #"{"method":"org.nightlatch.Control.ListRuns","parameters":{"limit":1.5}}"#,
        .invalidParameter("limit")
      ),
      (
        #"{"method":"org.nightlatch.Control.GetToken","parameters":{"provider":"w","min_valid_usec":-1}}"#,
        .invalidParameter("min_valid_usec")
      ),
    ] as [(String, ProtocolError)])
  func `a call that can't be served is answered with an error`(_ frame: String, _ error: ProtocolError) throws
  {
    let request = try Request(decoding: Array(frame.utf8))
    #expect(throws: error) { try request.call.get() }
    #expect(ControlReply.failure(error).frame != nil)
  }

  @Test(
    arguments: [
      [], Array("{".utf8), Array("null".utf8), Array("[]".utf8), Array("{}".utf8),
      Array(#"{"method":1}"#.utf8),
      Array(#"{"method":"a.B","oneway":"yes"}"#.utf8), [0xff, 0xfe], Array(#"{"method":"\ud800"}"#.utf8),
      [0x7b, 0x22, 0xc3, 0x28, 0x22], Array(repeating: UInt8(ascii: "["), count: 100_000),
      Array("{\"parameters\":".utf8) + Array(repeating: UInt8(ascii: "["), count: 5_000),
    ] as [[UInt8]])
  func `bytes that are no message end the connection`(_ frame: [UInt8]) {
    do {
      _ = try Request(decoding: frame)
      Issue.record("accepted")
    } catch {
      #expect(error.isFatal)
      #expect(ControlReply.failure(error).frame == nil)
    }
  }

  @Test func `random damage never traps`() {
    var random = SplitMix(state: 7)
    for _ in 0..<5_000 {
      var frame = Samples.calls[Int(random.next() % UInt64(Samples.calls.count))].frame
      for _ in 0...(random.next() % 4) {
        let place = Int(random.next() % UInt64(frame.count))
        frame[place] = UInt8(truncatingIfNeeded: random.next())
      }
      guard let request = try? Request(decoding: frame) else { continue }
      if case .failure(let error) = request.call { #expect(!error.isFatal) }
    }
  }
}
