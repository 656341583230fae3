import AuthModel
import ControlProtocol
import JobEngine
import Scheduling
import Testing

struct ReasonTests {
  @Test(
    arguments: [
      .unverified, .tokenTooShort, .unauthenticated, .notReady, .tokenRefused, .tokenRefusedAgain, .overlap,
      .missed, .paused,
      .queueFull,
      .laterDue, .earlierDue, .constraints, .deferredTooLong, .timeLimit, .byRequest, .replaced, .shutdown,
      .constraintLost, .crash, .noDefinition, .exit(.exited(3)), .exit(.signaled(9)), .exit(.unknown),
    ] as [Reason])
  func `a table shows words and not the ledger's codes`(_ reason: Reason) {
    let words = Reason.words(for: reason.text)
    #expect(words != reason.text || !words.contains("-"))
    #expect(!words.contains("-"))
  }

  @Test(arguments: AttemptClass.allCases)
  func `an attempt's class is told in words`(_ outcome: AttemptClass) {
    #expect(outcome.words.allSatisfy { !$0.isUppercase })
    let attempt = Snapshot.Attempt(outcome: outcome, ended: Samples.moment(.zero), failures: 0, detail: "")
    #expect(RefreshAttempt(attempt).words == outcome.words)
    #expect(RefreshAttempt(attempt).outcome == outcome.name)
  }

  @Test(arguments: ["cannot run '/bin/x': no such file", "exit-code-x", "signal-", "some-newer-reason"])
  func `a sentence, or what a newer daemon says, stays as it is`(_ reason: String) {
    #expect(Reason.words(for: reason) == reason)
  }
}
