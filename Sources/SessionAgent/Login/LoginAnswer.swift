import AuthModel
import Scheduling

/// What a login has brought, whichever way it took.
struct LoginAnswer {
  var answer: TokenAnswer
  /// When the request that brought the tokens was sent.
  var obtained: Moment
  /// The server's clock.
  var date: WallTime?
  /// What the ID token has to repeat.
  var nonce: Secret?
  /// A refresh token was spent for it, so that there is no way back: it is kept even in doubt.
  var isSpent = false
}
