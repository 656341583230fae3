extension SourceFile {
  /// Parses the text and hands its top level to `body`; the value is dropped if anything is an error.
  func read<Value>(_ lookout: Lookout? = nil, _ body: (Section) -> Value?) -> Parsed<Value> {
    let findings = Findings(path: path, lookout: lookout)
    guard let root = root(findings) else { return findings.conclude(nil) }
    let value = body(root)
    root.finish()
    return findings.conclude(value)
  }

  private func root(_ findings: Findings) -> Section? {
    let bytes: [UInt8]
    switch content {
    case .bytes(let content): bytes = content
    case .unreadable(let reason), .unlisted(let reason, _):
      findings.error("the file can't be read: \(reason)", at: nil)
      return nil
    }
    do throws(TOMLSyntaxError) {
      let table = try TOMLDocument.parse(bytes)
      guard case .table(let entries) = table.content else { return nil }
      let start = SourcePosition(line: 1, column: 1)
      return Section(name: nil, position: start, entries: entries, findings: findings)
    } catch {
      findings.error(error.message.printable, at: error.position)
      return nil
    }
  }
}
