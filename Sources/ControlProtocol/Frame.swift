import FoundationEssentials

/// JSON as it goes over the wire: compact, keys sorted. The NUL that ends a frame is the sender's to add.
enum Frame {
  static func encode(_ message: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // No message holds what JSON can't say (a number that is not finite), so nothing is lost here.
    guard let data = try? encoder.encode(message) else { return [] }
    return Array(data)
  }

  static func decode<Message: Decodable>(
    _ type: Message.Type, from frame: some Collection<UInt8>
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

/// JSON for programs that read the tool's output: the same as on the wire.
public enum JSONText {
  /// One line, without its end.
  public static func encode(_ value: some Encodable) -> String {
    String(decoding: Frame.encode(value), as: UTF8.self)
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
