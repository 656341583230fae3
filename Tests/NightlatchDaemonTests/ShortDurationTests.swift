import Testing

@testable import NightlatchDaemon

@Suite struct ShortDurationTests {
  @Test(arguments: [
    (Duration.zero, "0ms"),
    (.microseconds(999), "0ms"),
    (.milliseconds(1), "1ms"),
    (.microseconds(999_999), "999ms"),
    (.seconds(1), "1s"),
    (.milliseconds(1_049), "1s"),
    (.milliseconds(1_250), "1.2s"),
    (.milliseconds(59_999), "59.9s"),
    (.seconds(60), "1min"),
    (.milliseconds(90_900), "1min 30s"),
    (.seconds(3600 + 60), "1h 1min"),
    (.seconds(86_400), "1d"),
  ])
  func `a duration is as precise as a person wants it`(duration: Duration, text: String) {
    #expect(duration.short == text)
  }
}
