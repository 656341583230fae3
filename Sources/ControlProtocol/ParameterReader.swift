import AuthModel
import JobEngine
import Scheduling

/// Reads the parameters of a call one by one, and at the end refuses those that nobody asked for: a
/// misspelt parameter must not turn "cancel this run" into something wider.
struct ParameterReader {
  private let values: KeyedDecodingContainer<WireName>?
  private var known: Set<String> = []

  /// `values` is nil for a call without parameters.
  init(_ values: KeyedDecodingContainer<WireName>?) { self.values = values }

  /// The parameter, or nil when it is absent or null.
  mutating func optional<Value: Decodable>(
    _ name: String, as type: Value.Type = Value.self
  ) throws(ProtocolError) -> Value? {
    known.insert(name)
    do {
      return try values?.decodeIfPresent(type, forKey: WireName(name))
    } catch {
      throw .invalidParameter(name)
    }
  }

  mutating func required<Value: Decodable>(
    _ name: String, as type: Value.Type = Value.self
  ) throws(ProtocolError) -> Value {
    guard let value = try optional(name, as: type) else { throw .invalidParameter(name) }
    return value
  }

  func refuseUnknown() throws(ProtocolError) {
    let names = values?.allKeys.map(\.stringValue) ?? []
    if let unknown = names.filter({ !known.contains($0) }).min() { throw .invalidParameter(unknown) }
  }
}

extension ParameterReader {
  mutating func job() throws(ProtocolError) -> JobID { JobID(try required("job")) }

  mutating func optionalJob() throws(ProtocolError) -> JobID? {
    try optional("job", as: String.self).map { JobID($0) }
  }

  mutating func provider() throws(ProtocolError) -> ProviderName { ProviderName(try required("provider")) }

  mutating func optionalProvider() throws(ProtocolError) -> ProviderName? {
    try optional("provider", as: String.self).map { ProviderName($0) }
  }

  mutating func optionalRun() throws(ProtocolError) -> RunID? {
    guard let text = try optional("run", as: String.self) else { return nil }
    guard let run = RunID(text) else { throw .noSuchRun(text) }
    return run
  }

  mutating func state() throws(ProtocolError) -> RunState? {
    guard let text = try optional("state", as: String.self) else { return nil }
    guard let state = RunState(rawValue: text) else { throw .invalidParameter("state") }
    return state
  }

  mutating func limit() throws(ProtocolError) -> Int? {
    guard let limit = try optional("limit", as: Int.self) else { return nil }
    guard limit > 0 else { throw .invalidParameter("limit") }
    return limit
  }

  mutating func wait() throws(ProtocolError) -> Bool { try optional("wait") ?? false }

  mutating func span(_ name: String) throws(ProtocolError) -> Duration? {
    guard let span = try optional(name, as: Microseconds.self)?.duration else { return nil }
    guard span >= .zero else { throw .invalidParameter(name) }
    return span
  }
}
