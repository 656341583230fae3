import AuthModel
import ControlProtocol
import JobEngine
import LinuxPlatform
import Scheduling

/// Hands out access tokens over the control socket, to clients that may have them (``Access``).
///
/// Whoever is willing to wait gets a foreground phase asked for, and is answered when it has brought a token, when
/// only a person can bring one, or when the time is over. A run, and whatever else descends from the daemon,
/// is answered at once: background work never causes a refresh.
final class TokenBroker {
  private var waiting: [Wish] = []

  /// Whoever wants to wait longer asks again.
  private static let mostWait = Duration.seconds(3600)

  private struct Wish {
    var client: Conversation.Caller
    var name: ProviderName
    var minValid: Duration
    var wait: Duration
    var since: Instant

    var deadline: Instant { since + wait }
  }

  func ask(_ call: ControlCall, _ client: Conversation.Caller, of daemon: Daemon) {
    guard case .getToken(let name, let minValid, let wait) = call else { return }
    let wish = Wish(
      client: client, name: name, minValid: minValid ?? .zero, wait: min(wait ?? .zero, Self.mostWait),
      since: SystemClock.now().boot)
    switch daemon.token(name, wish.minValid) {
    case .token(let reply), .never(let reply): client.answer(reply)
    case .later(let reason):
      if wish.wait == .zero { return client.answer(daemon.refusal(name, reason)) }
      if daemon.runs.isBackground(client.peer.pid) {
        return client.answer(
          daemon.refusal(name, "\(reason); this is a run, and background work never refreshes: exit with 75"))
      }
      waiting.append(wish)
      daemon.control?.ask(.refresh(name))
    }
  }

  /// Answers those whose wait is over. Called in each turn, after everything that happened in it.
  func look(at now: Now, of daemon: Daemon) {
    let wishes = waiting.filter(\.client.isThere)
    waiting = []
    // Whoever is answered may ask again at once.
    for wish in wishes {
      if let reply = reply(to: wish, at: now, of: daemon) {
        wish.client.answer(reply)
      } else {
        waiting.append(wish)
      }
    }
  }

  /// Nil while there is reason to wait.
  private func reply(to wish: Wish, at now: Now, of daemon: Daemon) -> ControlReply? {
    switch daemon.token(wish.name, wish.minValid) {
    case .token(let reply), .never(let reply): return reply
    case .later(let reason):
      guard wish.deadline <= now.boot else { return nil }
      return daemon.refusal(wish.name, "\(reason); no phase has changed that within \(wish.wait.short)")
    }
  }

  /// When the next wait is over.
  var deadline: Instant? { waiting.map(\.deadline).min() }
}
