import CTOML

/// The text is not TOML.
struct TOMLSyntaxError: Error, Hashable {
  var message: String
  var position: SourcePosition
}

/// Turns the parser's flat list of nodes into a tree.
enum TOMLDocument {
  /// The root table of a TOML text.
  ///
  /// Bounded in size and depth by `CTOML_MAX_BYTES` and `CTOML_MAX_DEPTH`.
  static func parse(_ bytes: [UInt8]) throws(TOMLSyntaxError) -> TOMLValue {
    let start = SourcePosition(line: 1, column: 1)
    let document = bytes.withUnsafeBytes { buffer in
      ctoml_parse(buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count)
    }
    guard let document else { throw TOMLSyntaxError(message: "out of memory", position: start) }
    defer { ctoml_free(document) }
    var count = 0
    guard let nodes = ctoml_nodes(document, &count), count > 0 else {
      var position = ctoml_position()
      let message = String(ctoml_error(document, &position))
      throw TOMLSyntaxError(message: message, position: SourcePosition(position))
    }
    var rest = UnsafeBufferPointer(start: nodes, count: count)[...]
    return takeValue(&rest) ?? TOMLValue(content: .table([]), begin: start, end: start)
  }

  private typealias Nodes = Slice<UnsafeBufferPointer<ctoml_node>>

  /// Recursion is as deep as the document, which the parser bounds.
  private static func takeValue(_ rest: inout Nodes) -> TOMLValue? {
    guard let node = rest.popFirst() else { return nil }
    let (begin, end) = (SourcePosition(node.begin), SourcePosition(node.end))
    return TOMLValue(content: takeContent(of: node, &rest), begin: begin, end: end)
  }

  private static func takeContent(of node: ctoml_node, _ rest: inout Nodes) -> TOMLValue.Content {
    switch node.kind {
    case CTOML_TABLE: .table(takeEntries(node.child_count, &rest))
    case CTOML_ARRAY: .array(takeElements(node.child_count, &rest))
    case CTOML_STRING: .string(String(node.string))
    case CTOML_INTEGER: .integer(node.integer)
    case CTOML_FLOAT: .float(node.real)
    case CTOML_BOOLEAN: .boolean(node.boolean)
    default: .date
    }
  }

  private static func takeEntries(_ count: Int, _ rest: inout Nodes) -> [TOMLEntry] {
    var entries: [TOMLEntry] = []
    entries.reserveCapacity(count)
    for _ in 0..<count {
      guard let node = rest.first, let value = takeValue(&rest) else { break }
      let position = SourcePosition(node.key_begin)
      entries.append(TOMLEntry(key: String(node.key), position: position, value: value))
    }
    return entries
  }

  private static func takeElements(_ count: Int, _ rest: inout Nodes) -> [TOMLValue] {
    var elements: [TOMLValue] = []
    elements.reserveCapacity(count)
    for _ in 0..<count {
      guard let value = takeValue(&rest) else { break }
      elements.append(value)
    }
    return elements
  }
}

extension SourcePosition {
  fileprivate init(_ position: ctoml_position) {
    self.init(line: Int(max(1, position.line)), column: Int(max(1, position.column)))
  }
}

extension String {
  fileprivate init(_ text: ctoml_text) {
    let buffer = UnsafeRawBufferPointer(start: text.bytes, count: text.bytes == nil ? 0 : text.count)
    self.init(decoding: buffer, as: UTF8.self)
  }
}
