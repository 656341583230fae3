import AuthModel
import ControlProtocol
import JobEngine
import LinuxPlatform
import Scheduling

extension Daemon {
  /// What a client that asks for a token is told.
  enum TokenOutcome {
    case token(ControlReply)
    /// None now, for this reason; a foreground phase may bring one.
    case later(String)
    /// None, whatever phases do: a person has to act, or nobody can.
    case never(ControlReply)
  }

  /// The cached token, or why there is none.
  func token(_ name: ProviderName, _ minValid: Duration) -> TokenOutcome {
    guard let view = engine.view(of: name) else { return .never(.failure(noSuchProvider(name))) }
    if case .unauthenticated = view.state {
      return .never(refusal(name, "nobody is logged in; run 'nightlatch login \(name)'"))
    }
    guard case .authenticated = view.state, let present = auth.present(name) else {
      if case .parked(let detail) = view.phase {
        return .never(refusal(name, "nothing more is tried: \(detail)"))
      }
      return .later("the session is not verified; it waits for the next foreground phase\(lastFailure(view))")
    }
    // A token that lives exactly so long is too short by the time it has come.
    if let lifetime = present.lifetime, lifetime <= minValid {
      return .never(
        refusal(name, "its tokens are valid for \(lifetime.short), never for the \(minValid.short) asked for")
      )
    }
    let now = SystemClock.now()
    let left = present.tokenTimeLeft(at: now, in: bootID)
    if let left, left < minValid {
      return .later("the token is valid for \(left.short), less than the \(minValid.short) asked for")
    }
    do throws(HandoverError) {
      let bytes = try PublishedToken.read(name, folders, obtained: present.obtained.wall)
      return .token(
        .token(String(decoding: bytes, as: UTF8.self), expires: left.map { Timestamp(now.wall + $0) }))
    } catch {
      return .later(error.description)
    }
  }

  func refusal(_ name: ProviderName, _ reason: String) -> ControlReply {
    .failure(
      .tokenUnavailable(
        provider: name.description, authState: engine.view(of: name)?.state.name ?? "", reason: reason))
  }

  private func lastFailure(_ view: Engine.ProviderView) -> String {
    guard case .snapshot(let snapshot) = view.reading, let attempt = snapshot.lastAttempt,
      attempt.outcome != .success
    else { return "" }
    return " (the last one: \(attempt.detail))"
  }
}
