import CSystemd
import Glibc

/// A login session as logind has registered it (sd-login(3)).
nonisolated struct LoginSession: Equatable {
  var id: String
  var uid: UInt32
  /// `user`, `greeter`, `lock-screen`, `background`, ... (pam_systemd(8), class=)
  var kind: String
  /// `opening`, `online`, `active` or `closing`; without a seat never less than `active`.
  var state: String
  /// The screen and keyboard it belongs to; nil for ssh, cron, su in a service.
  var seat: String?
  var isRemote: Bool

  /// The classes of people's sessions. root's and short-lived ones have names of their own since
  /// systemd 256 and 258.
  private static let people: Set = ["user", "user-early", "user-light", "user-early-light"]

  /// Whether it is the session in front of somebody who sits at this machine: local, and in the
  /// foreground of its seat. `owner` nil means whoever that is.
  func isAttended(by owner: UInt32?) -> Bool {
    state == "active" && seat != nil && !isRemote && Self.people.contains(kind)
      && (owner == nil || owner == uid)
  }

  /// Those of this machine. One that ends meanwhile, or can't be read, is not among them; without logind
  /// there are none.
  static func all() -> [LoginSession] {
    var ids: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    let count = max(0, Int(sd_get_sessions(&ids)))
    defer {
      for index in 0..<count { free(ids?[index]) }
      free(ids)
    }
    return (0..<count).compactMap { ids?[$0].flatMap { LoginSession(id: String(cString: $0)) } }
  }

  private init?(id: String) {
    var uid: uid_t = 0
    guard sd_session_get_uid(id, &uid) >= 0, let kind = Self.text({ sd_session_get_class(id, &$0) }),
      let state = Self.text({ sd_session_get_state(id, &$0) })
    else { return nil }
    self.init(
      id: id, uid: uid, kind: kind, state: state, seat: Self.text { sd_session_get_seat(id, &$0) },
      isRemote: sd_session_is_remote(id) != 0)
  }

  private static func text(_ read: (inout UnsafeMutablePointer<CChar>?) -> Int32) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    defer { free(text) }
    guard read(&text) >= 0 else { return nil }
    return text.map { String(cString: $0) }
  }
}

nonisolated extension LoginSession {
  init(id: String, uid: UInt32, kind: String, state: String, seat: String?, isRemote: Bool) {
    (self.id, self.uid, self.kind, self.state) = (id, uid, kind, state)
    (self.seat, self.isRemote) = (seat, isRemote)
  }
}
