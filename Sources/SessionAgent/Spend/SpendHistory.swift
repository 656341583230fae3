import AuthModel
import Scheduling

/// What the spend journal says about the token that is in the store now, and about those before it.
struct SpendHistory: Hashable, Sendable {
  /// So many earlier spends outlive a compaction of the journal.
  static let earlierLimit = 16

  /// Sends of unknown fate, oldest first. Empty: nothing is open.
  private(set) var open: [Spend] = []
  private(set) var refusals: [Moment] = []
  private(set) var parked: ParkReason?
  /// A line in the middle can't be read: something was sent, and nobody knows what or when.
  private(set) var isDamaged = false
  /// What was sent for earlier generations of the store and used up, oldest first.
  private(set) var earlier: [Spend] = []

  var isAmbiguous: Bool { !open.isEmpty || isDamaged }

  mutating func apply(_ record: SpendRecord) {
    switch record {
    case .spend(let spend): open.append(spend)
    case .unspent(let generation): if open.last?.generation == generation { open.removeLast() }
    case .settled: (open, refusals, parked, isDamaged) = ([], [], nil, false)
    case .refused(_, let moment): refusals.append(moment)
    case .parked(_, let reason): parked = reason
    }
  }

  /// The records that bring this history about again.
  func records(token: TokenHash) -> [SpendRecord] {
    let past = earlier.suffix(Self.earlierLimit)
    return past.map(SpendRecord.spend) + (past.last.map { [.settled(generation: $0.generation)] } ?? [])
      + open.map(SpendRecord.spend) + refusals.map { .refused(token, at: $0) }
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
      note(record, before: generation)
      if record.concerns(generation: generation, token: token) { apply(record) }
    }
  }

  private mutating func note(_ record: SpendRecord, before generation: UInt64) {
    switch record {
    case .spend(let spend) where spend.generation < generation: earlier.append(spend)
    case .unspent(let unspent) where earlier.last?.generation == unspent: earlier.removeLast()
    case .spend, .unspent, .settled, .refused, .parked: break
    }
  }

  init() {}

  /// Whether a refresh token that comes back with an answer has been used up before: by an earlier generation; or,
  /// where an answer was lost and the server has replaced each token so far, just now.
  ///
  /// A server that does not rotate gives the same token each time, and that token is good.
  func hasSpent(_ returned: TokenHash) -> Bool {
    guard let current = open.last, returned == current.token else {
      return earlier.contains { $0.token == returned }
    }
    return open.count > 1 && hasReplacedEachToken
  }

  private var hasReplacedEachToken: Bool {
    guard let current = open.last, !earlier.isEmpty else { return false }
    let spends = earlier + [current]
    return Set(spends.map(\.token)).count == Set(spends.map(\.generation)).count
  }
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
