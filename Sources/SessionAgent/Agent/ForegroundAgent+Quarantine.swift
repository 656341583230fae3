import AuthModel
import Glibc

extension ForegroundAgent {
  /// What a server answered to our refresh token for somebody else: sealed, beside the store, published
  /// to nobody. Kept so that it can be revoked, by the next login or logout.
  var quarantine: SealedStore {
    var store = store
    store.path = places.file(name, "quarantine")
    store.rescuePath = nil
    return store
  }

  /// Revokes what is in quarantine, as far as the server can be told, and removes it.
  func discardQuarantine() {
    if case .present(let record) = quarantine.load() { _ = revoke(record) }
    unlink(quarantine.path)
  }
}
