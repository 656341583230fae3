import FoundationEssentials

/// JSON as it goes over the wire: compact, keys sorted, ended by NUL.
enum Frame {
  static func encode(_ message: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // No message holds what JSON can't say (a number that is not finite), so nothing is lost here.
    guard let data = try? encoder.encode(message) else { return [0] }
    return Array(data) + [0]
  }

  static func decode<Message: Decodable>(
    _ type: Message.Type, from frame: [UInt8]
  ) throws(ProtocolError) -> Message {
    do {
      return try JSONDecoder().decode(type, from: Data(frame))
    } catch let error as ProtocolError {
      throw error
    } catch {
      throw .malformed("it is not the JSON object that the Varlink protocol asks for")
    }
  }
}

/// A key that is known only by its name.
struct WireName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ stringValue: String) { self.stringValue = stringValue }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}
