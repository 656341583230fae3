import AuthModel
import JobEngine

extension AuthPolicy {
  mutating func readKeys(of section: Section, environment: [String: String]) {
    section.read("provider", .providerName, into: &provider)
    section.read("requires", .choice(), into: &requires)
    section.read("min_token_lifetime", .timeSpan(), into: &minTokenLifetime)
    section.read("on_unauthenticated", .choice(), into: &onUnauthenticated)
    section.read("on_not_ready", .choice(), into: &onNotReady)
    section.read("defer_for", .timeSpan(from: .seconds(1)), into: &deferFor)
    section.read("coalesce", .choice(), into: &coalesce)
    section.read("max_deferred", .integer(in: 1...1_000_000), into: &maxDeferred)
    section.read("deliver", .tokenDelivery(beside: environment), into: &deliver)
  }

  /// A requirement needs a provider; a provider without a requirement is probably an oversight.
  func checkProvider(in section: Section, among known: [String]?) {
    if requires != .none && !section.has("provider") {
      section.report(
        "requires is \(requires.rawValue.quoted), but there is no provider whose session it could mean; add provider = \"NAME\"",
        at: section.position(of: "requires"))
    }
    if let position = section.position(of: "provider"), !section.has("requires") {
      section.findings.warning(
        "provider is set but requires is not, so the job runs whatever the session; write requires = \"verified\", "
          + "\"session\" or \"none\"",
        at: position)
    }
    if let name = provider?.description, let known, !known.contains(name) {
      let hint = nearest(to: name, among: known).map { "did you mean \($0.quoted)?" }
      let all =
        known.isEmpty ? "there is none" : "there are \(known.sorted().map(\.quoted).listed(lastly: "and"))"
      section.report(
        "provider is \(name.quoted), but no file in providers.d has that name; \(hint ?? all)",
        at: section.position(of: "provider"))
    }
  }
}

extension Reading<AuthPolicy.TokenDelivery> {
  /// `"file"`, `"fd"` or `"env:NAME"`.
  static func tokenDelivery(beside environment: [String: String]) -> Reading {
    let expected = "\"file\", \"fd\" or \"env:NAME\""
    return text(expected) { text, value, place in
      switch text {
      case "file": return .file
      case "fd": return .fd
      case "env":
        place.report("\(place.key) is \"env\" without a name, but \"env:NAME\" is expected", at: value.begin)
        return nil
      default: break
      }
      guard text.hasPrefix("env:") else {
        let hint = nearest(to: text, among: ["file", "fd"]).map { "; did you mean \($0.quoted)?" } ?? ""
        place.report("\(place.key) is \(text.quoted), but \(expected) is expected\(hint)", at: value.begin)
        return nil
      }
      let name = String(text.dropFirst(4))
      let clash =
        environment[name] == nil ? nil : "environment sets \(name) as well, but only one of them can"
      guard let problem = complaint(aboutVariable: name) ?? clash else { return .environment(name) }
      place.report("\(place.key): \(problem)", at: value.position(ofScalar: 4))
      return nil
    }
  }
}
