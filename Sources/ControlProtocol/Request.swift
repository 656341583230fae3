/// One frame from a client: a call and how it wants to be answered.
///
/// Answer the calls of a connection in their order. Never trust ``call`` to be good: a call that can't
/// be served is an error to reply with, and only a frame that is no Varlink message throws.
public struct Request: Sendable {
  public var call: Result<ControlCall, ProtocolError>
  /// The client wants no reply, not even an error.
  public var isOneway: Bool
  /// The client would take more than one reply. No method has more than one.
  public var wantsMore: Bool

  /// Reads a frame without its NUL. Throws only ``ProtocolError/malformed(_:)``: close the connection.
  public init(decoding frame: some Collection<UInt8>) throws(ProtocolError) {
    self = try Frame.decode(Request.self, from: frame)
  }
}

extension Request: Decodable {
  private enum CodingKeys: CodingKey { case method, parameters, oneway, more, upgrade }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let method = try values.decode(String.self, forKey: .method)
    isOneway = try values.decodeIfPresent(Bool.self, forKey: .oneway) ?? false
    wantsMore = try values.decodeIfPresent(Bool.self, forKey: .more) ?? false
    let upgrades = try values.decodeIfPresent(Bool.self, forKey: .upgrade) ?? false
    call = Result { () throws(ProtocolError) in
      guard !upgrades else { throw .invalidParameter("upgrade") }
      return try ControlCall(method: method, parameters: Self.parameters(in: values))
    }
  }

  private static func parameters(
    in values: KeyedDecodingContainer<CodingKeys>
  ) throws(ProtocolError) -> KeyedDecodingContainer<WireName>? {
    do {
      guard values.contains(.parameters), try !values.decodeNil(forKey: .parameters) else { return nil }
      return try values.nestedContainer(keyedBy: WireName.self, forKey: .parameters)
    } catch {
      throw .invalidParameter("parameters")
    }
  }
}
