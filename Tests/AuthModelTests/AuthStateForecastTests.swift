import AuthModel
import Scheduling
import Testing

@Suite struct AuthStateForecastTests {
  /// Counts how often the wall clock is asked.
  private func readings(
    of present: Snapshot.Present, boot: Int64, wall: Int64
  ) -> (state: AuthState, count: Int) {
    var count = 0
    func ask() -> WallTime {
      count += 1
      return WallTime(seconds: wall)
    }
    let forecast = Snapshot.sample(.present(present)).authStateForecast(in: thisBoot)
    let state = forecast.state(boot: now(boot: boot, wall: 0).boot, wall: ask())
    return (state, count)
  }

  @Test func `within the boot the wall clock is not asked`() {
    #expect(readings(of: .sample(), boot: 1_060, wall: 0) == (.authenticated(alice), 0))
    #expect(readings(of: .sample(), boot: 4_600, wall: 0) == (.authenticatedUnverified(alice), 0))
  }

  @Test func `an unverified session asks no clock`() {
    #expect(
      readings(of: .sample(verifiedIn: nil), boot: 1_060, wall: 0) == (.authenticatedUnverified(alice), 0))
  }

  @Test func `a token of another boot asks the wall clock once`() {
    let present = Snapshot.Present.sample(obtainedIn: earlierBoot)
    #expect(readings(of: present, boot: 20, wall: 50_060) == (.authenticated(alice), 1))
    #expect(readings(of: present, boot: 20, wall: 53_600) == (.authenticatedUnverified(alice), 1))
  }

  @Test func `a user is a value`() {
    let original = User(id: "alice", name: "Alice")
    var copy = original
    copy.name = nil
    copy.id = "bob"
    #expect(original == User(id: "alice", name: "Alice"))
    #expect(copy == User(id: "bob"))
    #expect(Set([original, copy, User(id: "bob"), User(id: "alice", name: "Alice")]).count == 2)
  }
}
