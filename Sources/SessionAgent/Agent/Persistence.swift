import Glibc
import Scheduling

/// Puts the only copy of a new token pair on disk, whatever it takes.
///
/// A failing write (full disk, read-only remount) is tried again, from 100 ms up to every 5 s, for
/// 15 minutes; the old token is not spent meanwhile. A sealed copy is kept in memory, and once it is
/// there a stop request is heard: the next process stores it. Without one, stop requests wait, and in
/// the end the process gives up; the spend stays open in the journal, so the next one treats it as an
/// answer that was lost.
struct Persistence {
  static let patience = Duration.seconds(15 * 60)

  let store: SealedStore
  /// Nil: stop requests wait in any case.
  var hold: SignalHold?

  /// - Parameter complain: told once, when the first write has failed.
  func keep(_ content: Secret, in file: ReservedFile, complain: (AgentError) -> Void) throws(AgentError) {
    let deadline = SystemClock.boot + Self.patience
    var pause = Duration.milliseconds(100)
    var isFirst = true
    var isRescued = false
    while true {
      do {
        return try store.replace(content, in: file)
      } catch {
        if !isRescued, let sealed = try? store.seal(content) { isRescued = store.rescue(sealed) }
        if isFirst { complain(error) }
        isFirst = false
        let isStopRequested = hold?.isStopRequested ?? false
        if isRescued, isStopRequested || SystemClock.boot >= deadline {
          throw .rescued(provider: store.name, reason: "\(error)")
        }
        guard SystemClock.boot < deadline else {
          throw .unsaved(provider: store.name, reason: "\(error)")
        }
        poll(nil, 0, Int32(clamping: pause.wholeMicroseconds / 1_000))
        pause = min(pause * 2, .seconds(5))
      }
    }
  }
}
