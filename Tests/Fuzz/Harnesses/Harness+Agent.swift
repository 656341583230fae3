import AuthModel
import Scheduling

@testable import SessionAgent

extension Harness {
  static let agent = [
    storeContent, sealedStore, spendRecord, spendJournal, answer, httpTime, discovery,
  ]

  private static let storeContent = Harness("store-content") { bytes in
    switch bytes.withUnsafeBytes({ StoreEncoding.decode($0) }) {
    case .present(let record):
      let encoded = StoreEncoding.encode(record)
      guard case .present(let again) = encoded.withBytes({ StoreEncoding.decode($0) }) else {
        throw Violation(description: "a session that was written is read")
      }
      try expect(again.published, equals: record.published, "what is published is kept")
      try expect(StoreEncoding.encode(again).equals(encoded), "one session has one encoding")
    case .ended(let tombstone):
      guard case .ended(let again) = StoreEncoding.encode(tombstone).withBytes({ StoreEncoding.decode($0) })
      else {
        throw Violation(description: "a tombstone that was written is read")
      }
      try expect(again, equals: tombstone, "decode of encode is the identity")
    case .missing, .unreadable, nil: break
    }
  }

  /// Nobody without the key makes a store that opens.
  private static let sealedStore = Harness("sealed-store") { bytes in
    let key = SessionKey(bytes: Secret("a key of 32 bytes, known to all."))
    let store = SealedStore(
      path: "/", name: ProviderName("work"), keyPath: "/", credentialsFolder: nil, machine: .unknown)
    var forged = Array("NLSESSN".utf8) + [SealedStore.version] + store.machine.bytes + key.identifier + bytes
    guard case .unreadable(.damaged) = store.open(forged, with: [key]) else {
      throw Violation(description: "a forged store was opened")
    }
    for (offset, byte) in zip(forged.indices, bytes) { forged[offset] = byte }
    _ = store.open(forged, with: [key])
    _ = store.open(bytes, with: [key])
  }

  /// With its checksum added, which would turn almost every input away.
  private static let spendRecord = Harness("spend-record") { bytes in
    let words = String(input: bytes)
    let checksum = Hexadecimal.text(TokenHash(of: Secret(words)).bytes.prefix(4))
    guard let record = SpendRecord(line: "\(words) \(checksum)") else { return }
    try expect("\(words) \(checksum)\n", equals: record.line, "a record is exactly what it prints")
  }

  /// A line that can't be read is never taken for one that was not there.
  private static let spendJournal = Harness("spend-journal") { bytes in
    let token = TokenHash(of: Secret("refresh-7"))
    let history = SpendHistory(journal: bytes, generation: 7, token: token)
    var isDamaged = false
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
      switch SpendRecord(line: Substring(decoding: line, as: UTF8.self)) {
      case .settled: isDamaged = false
      case nil: isDamaged = true
      default: break
      }
    }
    try expect(history.isDamaged, equals: isDamaged, "damage shows until something settles it")
    let again = SpendHistory(
      journal: history.records(token: token).map(\.line).joined().utf8, generation: 7, token: token)
    try expect(again.open, equals: history.open, "a history brings itself about again")
    try expect(again.refusals, equals: history.refusals, "a history brings itself about again")
    let remembered = Array(history.earlier.suffix(SpendHistory.earlierLimit))
    try expect(again.earlier, equals: remembered, "a history brings itself about again")
  }

  /// One body as every answer that is understood.
  private static let answer = Harness("answer") { bytes in
    let body = bytes.withUnsafeBytes { Secret($0) }
    for status in [200, 400, 503] {
      let response = HTTPResponse(status: status, contentType: nil, date: nil, retryAfter: nil, body: body)
      let answer = TokenAnswer(response)
      try expect(status == 200 || answer == nil, "only a success holds a token")
      try expect(answer?.accessToken.isVisibleASCII ?? true, "a token can stand in a header")
      _ = Exchange(.success(response), answer: answer)
      _ = PollAnswer(.success(response))
    }
    guard let object = JSONObject.parse(body) else { return }
    let authorization = DeviceAuthorization(object, started: Instant(microseconds: .max / 2))
    guard let authorization else { return }
    try expect(authorization.interval >= .seconds(1), "polling is paced")
    try expect(
      authorization.prompt.userCode.unicodeScalars.allSatisfy { $0.value > 0x1f }, "fit for a terminal")
  }

  private static let httpTime = Harness("http-time") { bytes in
    let text = String(input: bytes)
    _ = HTTPTime.date(text)
    guard let delay = HTTPTime.retryAfter(text, now: WallTime(seconds: 1_800_000_000)) else { return }
    try expect(.zero ... .seconds(86_400) ~= delay, "a delay of at most a day: \(delay)")
  }

  private static let discovery = Harness("discovery") { bytes in
    let issuer = "https://issuer.example"
    _ = try? DiscoveryDocument(bytes.withUnsafeBytes { Secret($0) }, issuer: issuer)
    let urls = DiscoveryDocument.urls(issuer: String(input: bytes))
    try expect(urls.allSatisfy { $0.contains("/.well-known/") }, "a well-known place")
    try expect(!HTTPClient.host(String(input: bytes)).contains { $0.isNewline }, "fit for a log line")
    _ = HTTPClient.isAllowed(String(input: bytes))
  }
}
