import AuthModel
import CLinux
import Scheduling

/// What a reader found, where, and what it means: worked out once for each generation.
///
/// A class of constants, so that the hot path counts one reference instead of one for each string of a
/// snapshot, and checks exclusive access once.
final class AuthCacheFinding {
  let reading: SnapshotReading
  /// Where it was found; nil when no file could be mapped.
  let mapping: CacheMapping?
  private let forecast: AuthStateForecast
  /// Nil when ``reading`` is no snapshot.
  private let generation: UInt64?
  /// Of ``mapping``, which keeps it alive.
  private let generationWord: UnsafePointer<UInt64>?

  init(_ reading: SnapshotReading, from mapping: CacheMapping? = nil, in bootID: BootID) {
    self.reading = reading
    self.mapping = mapping
    generation = reading.snapshot?.generation
    generationWord = mapping?.generationWord
    forecast = reading.authStateForecast(in: bootID)
  }

  /// Whether this is a snapshot and nothing has been published since: one acquire load.
  var isNewest: Bool {
    guard let generationWord, let generation else { return false }
    return nl_load_acquire(generationWord) == generation
  }

  func authState(boot: Instant, wall: @autoclosure () -> WallTime) -> AuthState {
    // Not `forecast.state(...)`: copying the whole forecast would cost more than all the rest.
    forecast.validity.contains(boot: boot, wall: wall()) ? forecast.whileValid : forecast.otherwise
  }
}
