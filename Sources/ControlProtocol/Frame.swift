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
