import Scheduling

/// Collects what is wrong with one file while it is being read.
///
/// A reference: the sections of a file are read one inside the other and report to the same place.
final class Findings {
  let path: String
  private var diagnostics: [Diagnostic] = []
  /// Every key that was asked for: the schema, for suggestions.
  private var known: [(section: String?, key: String)] = []
  private var unknown: [(section: String?, entry: TOMLEntry)] = []

  private let lookout: Lookout?

  init(path: String, lookout: Lookout? = nil) {
    self.path = path
    self.lookout = lookout
    known.reserveCapacity(64)
  }

  func error(_ message: String, at position: SourcePosition?) {
    diagnostics.append(Diagnostic(path: path, position: position, severity: .error, message: message))
  }

  func warning(_ message: String, at position: SourcePosition?) {
    diagnostics.append(Diagnostic(path: path, position: position, severity: .warning, message: message))
  }

  /// Has somebody look for what a key names, where there is anybody. That it is not there is no mistake of the file: it
  /// may come later.
  func look(for reference: Reference, named key: String, at position: SourcePosition?) {
    guard let sighting = lookout?(reference) else { return }
    let (severity, phrase): (Diagnostic.Severity, String)
    switch sighting {
    case .found: return
    case .missing(let what): (severity, phrase) = (.warning, what)
    case .hidden(let what): (severity, phrase) = (.note, what)
    }
    diagnostics.append(
      Diagnostic(path: path, position: position, severity: severity, message: "\(key): \(phrase)"))
  }

  func know(_ key: String, in section: String?) { known.append((section, key)) }

  func isKnown(_ key: String, in section: String?) -> Bool {
    known.contains { $0.section == section && $0.key == key }
  }

  func unknown(_ entry: TOMLEntry, in section: String?) { unknown.append((section, entry)) }

  /// Ends the reading of a file: the value if there is no error, and everything found, in its order.
  func conclude<Value>(_ value: Value?) -> Parsed<Value> {
    // Explaining costs a comparison with the whole schema, so no more are explained than are shown.
    let inOrder = unknown.sorted { $0.entry.position < $1.entry.position }
    for (index, (section, entry)) in inOrder.enumerated() {
      error(index < Self.limit ? explain(entry.key, in: section) : "unknown key", at: entry.position)
    }
    let isGood = !diagnostics.contains { $0.severity == .error }
    return Parsed(value: isGood ? value : nil, diagnostics: shown(diagnostics))
  }

  /// More than anybody reads at once; a file that is not meant for us can have any number.
  private static let limit = 100

  private func shown(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
    let start = SourcePosition(line: 0, column: 0)
    let sorted = diagnostics.enumerated().sorted {
      ($0.element.position ?? start, $0.offset) < ($1.element.position ?? start, $1.offset)
    }.map(\.element)
    let rest = sorted.dropFirst(Self.limit)
    guard let severity = rest.map(\.severity).max() else { return sorted }
    let message = "from here on there are \(rest.count) more of these, which are not shown"
    let last = Diagnostic(path: path, position: rest.first?.position, severity: severity, message: message)
    return sorted.prefix(Self.limit) + [last]
  }

  private func explain(_ key: String, in section: String?) -> String {
    let place = section.map { "in [\($0)]" } ?? "at the top level"
    let found = "unknown key \(key.quoted) \(place)"
    if let right = known.first(where: { $0.key == key }) {
      return found + "; it belongs " + (right.section.map { "in [\($0)]" } ?? "above the first [section]")
    }
    let siblings = Set(known.filter { $0.section == section }.map(\.key))
    if let near = nearest(to: key, among: siblings) { return found + "; did you mean \(near.quoted)?" }
    if let near = nearest(to: key, among: known.map(\.key)),
      let right = known.first(where: { $0.key == near })
    {
      return found
        + "; did you mean \(near.quoted) \(right.section.map { "in [\($0)]" } ?? "at the top level")?"
    }
    return found + "; known here are \(siblings.sorted().map(\.quoted).listed(lastly: "and"))"
  }
}
