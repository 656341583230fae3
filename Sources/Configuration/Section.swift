/// One table of a file while it is being read.
///
/// A key is known because it was asked for, so the schema is written down once: in the code that reads it.
struct Section {
  /// Nil: the top level.
  let name: String?
  let findings: Findings
  /// Where its header, or the file, begins.
  let position: SourcePosition
  private let entries: [TOMLEntry]

  init(name: String?, position: SourcePosition, entries: [TOMLEntry], findings: Findings) {
    self.name = name
    self.position = position
    self.entries = entries
    self.findings = findings
  }

  /// Reads an optional key. Nil when it is absent or, having been reported, wrong.
  ///
  /// `reading` is built only for a key that is there: most are not, in most of ten thousand files.
  func read<Value>(_ key: String, _ reading: @autoclosure () -> Reading<Value>) -> Value? {
    guard let entry = entry(key) else { return nil }
    return reading().read(entry.value, Place(key: key, findings: findings))
  }

  /// Reads an optional key; `target` keeps its default when the key is absent or wrong.
  func read<Value>(_ key: String, _ reading: @autoclosure () -> Reading<Value>, into target: inout Value) {
    if let value = read(key, reading()) { target = value }
  }

  func read<Value>(_ key: String, _ reading: @autoclosure () -> Reading<Value>, into target: inout Value?) {
    if let value = read(key, reading()) { target = value }
  }

  /// Reads a key that must be there; `purpose` completes "KEY is missing: ".
  func require<Value>(_ key: String, _ reading: @autoclosure () -> Reading<Value>, _ purpose: String)
    -> Value?
  {
    guard entry(key) != nil else {
      report("\(key) is missing: \(purpose)")
      return nil
    }
    return read(key, reading())
  }

  /// Reads a table inside this one. When it is absent an empty one is read, so that `body` can miss keys.
  func section(_ key: String, _ body: (Section) -> Void) {
    let path = name.map { "\($0).\(key)" } ?? key
    var (place, children) = (position, [TOMLEntry]())
    if let entry = entry(key) {
      guard case .table(let entries) = entry.value.content else {
        return report(
          "\(key) is \(entry.value.kind), but a section [\(path)] is expected", at: entry.value.begin)
      }
      (place, children) = (entry.position, entries)
    }
    let section = Section(name: path, position: place, entries: children, findings: findings)
    body(section)
    section.finish()
  }

  /// Reports every key that nobody asked for. Call it when all have been read.
  func finish() {
    for entry in entries where !findings.isKnown(entry.key, in: name) {
      findings.unknown(entry, in: name)
    }
  }

  /// Where a key's value stands; nil when the key is absent.
  func position(of key: String) -> SourcePosition? { entry(key)?.value.begin }

  /// Has somebody look for what a key names.
  func look(for reference: Reference, _ key: String) {
    findings.look(for: reference, named: key, at: position(of: key))
  }

  func has(_ key: String) -> Bool { entry(key) != nil }

  /// An error at `position`, or at the section itself.
  func report(_ message: String, at position: SourcePosition? = nil) {
    findings.error(message, at: position ?? self.position)
  }

  /// Refuses a key for a reason of its own, in place of "unknown key".
  func refuse(_ key: String, _ message: String) {
    guard let entry = entry(key) else { return }
    report(message, at: entry.position)
  }

  private func entry(_ key: String) -> TOMLEntry? {
    findings.know(key, in: name)
    return entries.first { $0.key == key }
  }
}
