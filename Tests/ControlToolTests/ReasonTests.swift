import JobEngine
import Testing

@testable import ControlTool

struct ReasonTests {
  @Test(
    arguments: [
      .unverified, .tokenTooShort, .unauthenticated, .notReady, .tokenRefused, .overlap, .missed, .paused,
      .queueFull,
      .laterDue, .earlierDue, .constraints, .deferredTooLong, .timeLimit, .byRequest, .replaced, .shutdown,
      .constraintLost, .crash, .noDefinition, .exit(.exited(3)), .exit(.signaled(9)), .exit(.unknown),
    ] as [Reason])
  func `a table shows words and not the ledger's codes`(_ reason: Reason) {
    let words = RunDisplay.words(for: reason.text)
    #expect(words != reason.text || !words.contains("-"))
    #expect(!words.contains("-"))
  }

  @Test(arguments: ["cannot run '/bin/x': no such file", "exit-code-x", "signal-", "some-newer-reason"])
  func `a sentence, or what a newer daemon says, stays as it is`(_ reason: String) {
    #expect(RunDisplay.words(for: reason) == reason)
  }
}
