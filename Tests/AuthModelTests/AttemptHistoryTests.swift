import AuthModel
import Scheduling
import SeededRandom
import Testing

@Suite struct AttemptHistoryTests {
  @Test func `every class comes back as it went, on one line`() {
    var history = AttemptHistory()
    for outcome in AttemptClass.allCases {
      var attempt = Snapshot.Attempt.sample(outcome)
      attempt.detail = "two\nlines\r\nand  blanks "
      history.append(AttemptHistory.Entry(attempt))
    }
    #expect(history.text.split(separator: "\n").count == AttemptClass.allCases.count)
    #expect(AttemptHistory(text: history.text) == history)
    #expect(history.entries[0].detail == "two lines and  blanks ")
  }

  @Test func `the oldest is forgotten first`() {
    var history = AttemptHistory()
    for second in 1...25 {
      var attempt = Snapshot.Attempt.sample(.transient)
      attempt.ended.wall = WallTime(seconds: Int64(second))
      history.append(AttemptHistory.Entry(attempt))
    }
    #expect(history.entries.map(\.ended) == (16...25).map { WallTime(seconds: $0) })
    #expect(AttemptHistory(text: history.text) == history)
  }

  @Test(arguments: [
    "", "\n\n", "1 success 0", "x success 0 y", "1 sucess 0 y", "1 success -1 y",
    "99999999999999999999 success 0 y",
  ])
  func `what is no attempt is passed over`(_ text: String) {
    #expect(AttemptHistory(text: text).entries.isEmpty)
    #expect(AttemptHistory(text: "\(text)\n1 success 0 \n").entries.count == 1)
  }

  @Test func `any text is read without a trap`() {
    var random = SeededRandom.SplitMix(state: 7)
    for _ in 0..<500 {
      let bytes = (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }
      let history = AttemptHistory(text: String(decoding: bytes, as: UTF8.self))
      #expect(AttemptHistory(text: history.text) == history)
    }
  }
}
