import AuthModel
import Scheduling

/// What the spend journal says about the token that is in the store now.
struct SpendHistory: Hashable, Sendable {
  /// Sends of unknown fate, oldest first. Empty: nothing is open.
  private(set) var open: [Spend] = []
  private(set) var refusals: [Moment] = []
  private(set) var parked: ParkReason?
  /// A line in the middle can't be read: something was sent, and nobody knows what or when.
  private(set) var isDamaged = false

  var isAmbiguous: Bool { !open.isEmpty || isDamaged }

  mutating func apply(_ record: SpendRecord) {
    switch record {
    case .spend(let spend): open.append(spend)
    case .unspent(let generation): if open.last?.generation == generation { open.removeLast() }
    case .settled: self = SpendHistory()
    case .refused(_, let moment): refusals.append(moment)
    case .parked(_, let reason): parked = reason
    }
  }

  /// The records that bring this history about again.
  func records(token: TokenHash) -> [SpendRecord] {
    open.map(SpendRecord.spend) + refusals.map { .refused(token, at: $0) }
      + (parked.map { [.parked(token, $0)] } ?? [])
  }

  /// Reads a journal. Records about other tokens than the store's are history: the process that
  /// wrote the store died before it could say so.
  ///
  /// A last line without its end was never in force: the process died before its `fsync` returned,
  /// and so before it sent anything.
  init(journal: some Sequence<UInt8>, generation: UInt64, token: TokenHash?) {
    // Cut as bytes: as characters a carriage return would hide the newline after it.
    let lines = Array(journal).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for line in lines.dropLast() {
      guard let record = SpendRecord(line: Substring(decoding: line, as: UTF8.self)) else {
        isDamaged = true
        continue
      }
      if record.concerns(generation: generation, token: token) { apply(record) }
    }
  }

  init() {}
}

extension SpendRecord {
  func concerns(generation: UInt64, token: TokenHash?) -> Bool {
    switch self {
    case .spend(let spend): spend.generation >= generation && spend.token == token
    case .refused(let other, _), .parked(let other, _): other == token
    case .unspent, .settled: true
    }
  }
}
