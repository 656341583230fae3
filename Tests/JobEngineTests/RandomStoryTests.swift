import Glibc
import Testing

/// Whatever happens, in whatever order: the promises of DESIGN's section "Tests" hold.
@Suite struct RandomStoryTests {
  /// How many events are told in all: 10,000, or what NIGHTLATCH_RANDOM_EVENTS says (`make test`: 100,000).
  static let events = getenv("NIGHTLATCH_RANDOM_EVENTS").flatMap { Int(String(cString: $0)) } ?? 10_000

  @Test(arguments: UInt64(1)...20)
  func `random events break no promise`(seed: UInt64) {
    var story = RandomStory(seed: seed)
    for step in 0..<Self.events / 20 {
      story.step()
      guard story.violations.isEmpty else {
        Issue.record("seed \(seed), step \(step): \(story.violations)\n\(story.transcript)")
        return
      }
    }
    story.finish()
    #expect(story.violations.isEmpty, "seed \(seed), at the end\n\(story.transcript)")
  }
}
