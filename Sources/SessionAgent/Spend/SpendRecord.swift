import CSodium
import Scheduling

/// One line of the spend journal.
///
/// Shape: words separated by one space, the last of them the first eight hexadecimal digits of the
/// SHA-256 of everything before it: a line that was cut short is not a line.
enum SpendRecord: Hashable, Sendable {
  /// About to be sent. In force from the moment it is on disk.
  case spend(Spend)
  /// The latest send of this generation used nothing up: it never left, or the server said so.
  case unspent(generation: UInt64)
  /// The answer is in the store, or the session is over. Everything before it is history.
  case settled(generation: UInt64)
  /// The server refused in a way nobody understands.
  case refused(TokenHash, at: Moment)
  /// No more attempts with this token until somebody logs in.
  case parked(TokenHash, ParkReason)
}

/// Why a token is not sent any more.
enum ParkReason: String, Hashable, Sendable, CaseIterable {
  /// Three refusals that nobody understands.
  case refused
  /// Sent, lost, sent once more and lost again; or `on_lost = "park"`.
  case lost
  /// The server answered for somebody else.
  case otherIdentity = "other-identity"
}

extension SpendRecord {
  private static let version = "1"

  var line: String {
    let words = ([Self.version] + words).joined(separator: " ")
    return "\(words) \(Self.checksum(words[...]))\n"
  }

  private var words: [String] {
    switch self {
    case .spend(let spend):
      ["spend", spend.purpose.rawValue, "\(spend.generation)", "\(spend.token)"] + Self.words(spend.sent)
    case .unspent(let generation): ["unspent", "\(generation)"]
    case .settled(let generation): ["settled", "\(generation)"]
    case .refused(let token, let moment): ["refused", "\(token)"] + Self.words(moment)
    case .parked(let token, let reason): ["parked", "\(token)", reason.rawValue]
    }
  }

  /// Nil unless `line` (without its end) is exactly what ``line`` makes.
  init?(line: Substring) {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count >= 3, words[0] == Self.version, let checksum = words.last,
      checksum == Self.checksum(line.dropLast(checksum.count + 1)),
      let record = Self.parse(words[1], Array(words[2..<(words.count - 1)])),
      // Numbers can be written in several ways; this program writes them in one.
      record.line.utf8.dropLast().elementsEqual(line.utf8)
    else { return nil }
    self = record
  }

  private static func parse(_ verb: Substring, _ words: [Substring]) -> SpendRecord? {
    switch (verb, words.count) {
    case ("spend", 6):
      guard let purpose = Spend.Purpose(rawValue: String(words[0])), let generation = UInt64(words[1]),
        let token = token(words[2]), let sent = moment(words[3...])
      else { return nil }
      return .spend(Spend(purpose: purpose, generation: generation, token: token, sent: sent))
    case ("unspent", 1): return UInt64(words[0]).map { .unspent(generation: $0) }
    case ("settled", 1): return UInt64(words[0]).map { .settled(generation: $0) }
    case ("refused", 4):
      guard let token = token(words[0]), let moment = moment(words[1...]) else { return nil }
      return .refused(token, at: moment)
    case ("parked", 2):
      guard let token = token(words[0]), let reason = ParkReason(rawValue: String(words[1])) else {
        return nil
      }
      return .parked(token, reason)
    default: return nil
    }
  }

  private static func token(_ word: Substring) -> TokenHash? {
    Hexadecimal.bytes(word).flatMap(TokenHash.init)
  }

  private static func words(_ moment: Moment) -> [String] {
    [moment.bootID.description, "\(moment.wall.microseconds)", "\(moment.boot.microseconds)"]
  }

  private static func moment(_ words: ArraySlice<Substring>) -> Moment? {
    let words = Array(words)
    guard words.count == 3, let wall = Int64(words[1]), let boot = Int64(words[2]) else { return nil }
    return Moment(
      bootID: BootID(String(words[0])),
      now: Now(boot: Instant(microseconds: boot), wall: WallTime(microseconds: wall)))
  }

  private static func checksum(_ text: Substring) -> String {
    let hash = TokenHash(of: Secret(String(text)))
    return Hexadecimal.text(hash.bytes.prefix(4))
  }
}
