import Glibc
import Scheduling

/// Puts the only copy of a new token pair on disk, whatever it takes.
///
/// A failing write (full disk, read-only remount) is tried again, from 100 ms up to every 5 s, for
/// 15 minutes; the old token is not spent meanwhile, and stop requests wait. Then the process gives
/// up; the spend stays open in the journal, so the next one treats it as an answer that was lost.
struct Persistence {
  static let patience = Duration.seconds(15 * 60)

  let store: SealedStore

  /// - Parameter complain: told once, when the first write has failed.
  func keep(_ content: Secret, in file: ReservedFile, complain: (AgentError) -> Void) throws(AgentError) {
    let deadline = SystemClock.boot + Self.patience
    var pause = Duration.milliseconds(100)
    var isFirst = true
    while true {
      do {
        return try file.commit(try store.seal(content))
      } catch {
        guard SystemClock.boot < deadline else {
          throw .unsaved(provider: store.name, reason: "\(error)")
        }
        if isFirst { complain(error) }
        isFirst = false
        poll(nil, 0, Int32(clamping: pause.wholeMicroseconds / 1_000))
        pause = min(pause * 2, .seconds(5))
      }
    }
  }
}
