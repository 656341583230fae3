/// When an administrator's command is run about a session. The raw value is its key in `[hooks]`.
public enum SessionHook: String, Hashable, Sendable, CaseIterable {
  /// Nothing but a login helps: nobody has logged in yet, or the session is over or has to be given up.
  case loginRequired = "login_required"
  /// The session is over, and nobody here has ended it.
  case sessionLost = "session_lost"
}
