import Glibc
import Scheduling

@testable import SessionAgent

/// Waits for the thing itself; bounded, so that a test that is wrong ends.
func waitUntil(_ condition: () throws -> Bool) throws {
  let deadline = SystemClock.boot + .seconds(60)
  while try !condition() {
    guard SystemClock.boot < deadline else { throw TestFailure("waited in vain") }
    poll(nil, 0, 5)
  }
}
