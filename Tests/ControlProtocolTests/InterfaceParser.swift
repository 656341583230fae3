/// A Varlink interface, parsed from its description, so that messages can be checked against it.
struct Interface {
  indirect enum Kind {
    case bool, int, float, string, object
    case reference(String)
    case optional(Kind)
    case array(Kind)
    case record([(name: String, kind: Kind)])
  }

  struct Method {
    var input: Kind
    var output: Kind
  }

  var name = ""
  var types: [String: Kind] = [:]
  var methods: [String: Method] = [:]
  var errors: [String: Kind] = [:]

  struct Unexpected: Error { var token: String }

  init(_ text: String) throws {
    var tokens = Self.tokens(of: text)[...]
    func next() throws -> String {
      guard let token = tokens.popFirst() else { throw Unexpected(token: "end of text") }
      return token
    }
    func expect(_ token: String) throws {
      let found = try next()
      guard found == token else { throw Unexpected(token: found) }
    }
    func kind() throws -> Kind {
      switch try next() {
      case "?": return .optional(try kind())
      case "[":
        try expect("]")
        return .array(try kind())
      case "bool": return .bool
      case "int": return .int
      case "float": return .float
      case "string": return .string
      case "object": return .object
      case "(": return try record()
      case let name where name.first?.isUppercase == true: return .reference(name)
      case let token: throw Unexpected(token: token)
      }
    }
    func record() throws -> Kind {
      var fields: [(String, Kind)] = []
      while tokens.first != ")" {
        if !fields.isEmpty { try expect(",") }
        let name = try next()
        try expect(":")
        fields.append((name, try kind()))
      }
      try expect(")")
      return .record(fields)
    }
    try expect("interface")
    name = try next()
    while let keyword = tokens.popFirst() {
      let member = try next()
      switch keyword {
      case "type": types[member] = try kind()
      case "error": errors[member] = try kind()
      case "method":
        let input = try kind()
        try expect("->")
        methods[member] = Method(input: input, output: try kind())
      default: throw Unexpected(token: keyword)
      }
    }
  }

  private static func tokens(of text: String) -> [String] {
    let bare = text.split(separator: "\n").map { $0.prefix { $0 != "#" } }.joined(separator: "\n")
    var tokens: [String] = []
    for word in bare.split(whereSeparator: \.isWhitespace) {
      var rest = word
      while let first = rest.first {
        let length =
          rest.hasPrefix("->")
          ? 2 : "()[]?:,".contains(first) ? 1 : rest.prefix { !"()[]?:,".contains($0) }.count
        tokens.append(String(rest.prefix(length)))
        rest = rest.dropFirst(length)
      }
    }
    return tokens
  }
}

extension Interface {
  /// Everything in which a value differs from a type: one line each, with its place.
  func differences(of value: JSON, from kind: Kind, at place: String) -> [String] {
    switch (kind, value) {
    case (.bool, .bool), (.float, .number), (.string, .string), (.object, .object), (.optional, .null): []
    case (.int, .number(let number)): number == number.rounded() ? [] : ["\(place) is not whole"]
    case (.optional(let inner), _): differences(of: value, from: inner, at: place)
    case (.reference(let name), _):
      types[name].map { differences(of: value, from: $0, at: place) } ?? ["\(place): no type \(name)"]
    case (.array(let inner), .array(let values)):
      values.flatMap { differences(of: $0, from: inner, at: place + "[]") }
    case (.record(let fields), .object(let members)):
      fields.flatMap { name, kind in
        differences(of: members[name] ?? .null, from: kind, at: place + "." + name)
      }
        + members.keys.filter { key in !fields.contains { $0.name == key } }.map {
          "\(place): no field \($0)"
        }
    default: ["\(place) is \(value), not \(kind)"]
    }
  }
}
