import Testing

@testable import SessionAgent

@Suite struct DevicePacingTests {
  @Test func `slow_down adds five seconds for good`() {
    var pacing = DevicePacing(interval: .seconds(5))
    pacing.slowedDown()
    #expect(pacing.pause == .seconds(10))
    pacing.reached()
    #expect(pacing.pause == .seconds(10))
    for _ in 0..<20 { pacing.slowedDown() }
    #expect(pacing.pause == .seconds(110))
  }

  @Test func `a network that is away doubles the pause, up to a minute, until it is back`() {
    var pacing = DevicePacing(interval: .seconds(5))
    var pauses: [Duration] = []
    for _ in 0..<6 {
      pacing.unreachable(retryAfter: nil)
      pauses.append(pacing.pause)
    }
    #expect(pauses == [10, 20, 40, 60, 60, 60].map { .seconds($0) })
    pacing.reached()
    #expect(pacing.pause == .seconds(5))
  }

  @Test func `Retry-After is a floor`() {
    var pacing = DevicePacing(interval: .seconds(5))
    pacing.unreachable(retryAfter: .seconds(2))
    #expect(pacing.pause == .seconds(10))
    pacing.unreachable(retryAfter: .seconds(90))
    #expect(pacing.pause == .seconds(90))
    pacing.slowedDown()
    #expect(pacing.pause == .seconds(10))
  }
}
