import AuthModel
import Configuration
import JobEngine
import SeededRandom
import Testing

private let interesting =
  Array("[]{}=\"'.,#\n\r\t \\xuU0123456789eTZ:+-_*/~\0\u{7F}ä\u{202E}\u{2003}".utf8) + [0xFF, 0xC3]

private func mutate(_ seed: [UInt8], _ generator: inout SplitMix) -> [UInt8] {
  var bytes = seed
  for _ in 0..<Int.random(in: 1...6, using: &generator) {
    let place = Int.random(in: 0...bytes.count, using: &generator)
    let end = min(bytes.count, place + Int.random(in: 0...30, using: &generator))
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: bytes.insert(interesting.randomElement(using: &generator) ?? 0, at: place)
    case 1: bytes.removeSubrange(place..<end)
    case 2 where place < bytes.count: bytes[place] = interesting.randomElement(using: &generator) ?? 0
    case 3: bytes.removeSubrange(end...)
    default:
      bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &generator))
    }
  }
  return bytes
}

/// What must hold whatever the bytes.
private func checkInvariants<Value>(_ parsed: Parsed<Value>, _ bytes: [UInt8]) {
  let input = String(decoding: bytes, as: UTF8.self)
  let hasError = parsed.diagnostics.contains { $0.severity == .error }
  #expect((parsed.value == nil) == hasError, "\(input.debugDescription)")
  let lines = bytes.reduce(1) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
  for diagnostic in parsed.diagnostics {
    let position = diagnostic.position ?? SourcePosition(line: 1, column: 1)
    #expect(
      position.line >= 1 && position.line <= lines + 1 && position.column >= 1, "\(input.debugDescription)")
    let isPlain = diagnostic.message.unicodeScalars.allSatisfy {
      $0.value >= 0x20 && $0 != "\u{7F}" && $0 != "\u{202E}"
    }
    #expect(isPlain, "\(input.debugDescription)")
  }
  let positions = parsed.diagnostics.compactMap(\.position)
  #expect(positions == positions.sorted(), "\(input.debugDescription)")
}

@Test(arguments: 0..<8 as Range<UInt64>) func `damaged files are explained and never trap`(_ seed: UInt64)
  throws
{
  var generator = SplitMix(state: seed)
  let jobs = [Array(mailSync.utf8), Array(everyJobKey.utf8)]
  let providers = try exampleFiles("providers.d").compactMap { file -> [UInt8]? in
    if case .bytes(let bytes) = file.content { bytes } else { nil }
  }
  for _ in 0..<250 {
    let job = mutate(jobs.randomElement(using: &generator) ?? [], &generator)
    checkInvariants(JobDefinition.parse(SourceFile(path: "j.toml", bytes: job), zones: zones), job)
    let provider = mutate(providers.randomElement(using: &generator) ?? [], &generator)
    checkInvariants(ProviderDefinition.parse(SourceFile(path: "p.toml", bytes: provider)), provider)
    checkInvariants(DaemonSettings.parse(SourceFile(path: "s.toml", bytes: provider)), provider)
  }
}
