import CJOSE

/// A JSON object as a stranger sent it. Unknown members are ignored; the copies of its values are
/// wiped when it goes.
final class JSONObject {
  private let root: UnsafeMutablePointer<json_t>

  /// Nil unless `bytes` are one JSON object in UTF-8.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard Jansson.isReady else { return nil }
    // Integers of any size are numbers: a server's nonsense must not make its answer unreadable.
    let flags = Int(JSON_DECODE_INT_AS_REAL)
    var error = json_error_t()
    let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
    guard let text, let root = json_loadb(text, bytes.count, flags, &error) else { return nil }
    guard root.pointee.type == JSON_OBJECT else {
      json_decref(root)
      return nil
    }
    self.root = root
  }

  static func parse(_ secret: Secret) -> JSONObject? {
    secret.withBytes { JSONObject($0) }
  }

  /// An answer that may hold tokens: ``MendedJSON`` where it is not quite JSON.
  static func parseAnswer(_ answer: Secret) -> JSONObject? {
    parse(answer)
      ?? answer.withBytes { text in
        var mended = MendedJSON(text).bytes
        defer { File.wipe(&mended) }
        return mended.withUnsafeBytes { JSONObject($0) }
      }
  }

  /// A part of another object, which it keeps.
  private init(sharing root: UnsafeMutablePointer<json_t>) { self.root = json_incref(root) }

  deinit { json_decref(root) }

  private func member(_ key: String, _ type: json_type) -> UnsafeMutablePointer<json_t>? {
    guard let value = json_object_get(root, key), value.pointee.type == type else { return nil }
    return value
  }

  /// Nil if it is absent, null, no string, or empty.
  func string(_ key: String) -> String? {
    member(key, JSON_STRING).flatMap(Self.text).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A string, or a whole number in digits. None beyond 2^53, where two numbers look like one (RFC 8259
  /// section 6).
  func text(_ key: String) -> String? {
    guard let value = member(key, JSON_REAL) else { return string(key) }
    let number = json_real_value(value)
    return abs(number) < 9_007_199_254_740_992 ? Int64(exactly: number).map { "\($0)" } : nil
  }

  func object(_ key: String) -> JSONObject? {
    member(key, JSON_OBJECT).map { JSONObject(sharing: $0) }
  }

  /// The objects in an array; empty if there is no such array.
  func objects(_ key: String) -> [JSONObject] {
    guard let array = member(key, JSON_ARRAY) else { return [] }
    return (0..<json_array_size(array)).compactMap { index in
      json_array_get(array, index).flatMap { $0.pointee.type == JSON_OBJECT ? JSONObject(sharing: $0) : nil }
    }
  }

  private static func text(_ value: UnsafeMutablePointer<json_t>?) -> String? {
    json_string_value(value).map { String(cString: $0) }
  }

  /// As ``string(_:)``, without leaving a copy behind.
  func secret(_ key: String) -> Secret? {
    guard let value = member(key, JSON_STRING), let text = json_string_value(value) else { return nil }
    let length = json_string_length(value)
    return length == 0 ? nil : Secret(UnsafeRawBufferPointer(start: text, count: length))
  }

  func has(_ key: String) -> Bool { json_object_get(root, key) != nil }

  func isArray(_ key: String) -> Bool { member(key, JSON_ARRAY) != nil }

  func isTrue(_ key: String) -> Bool { member(key, JSON_TRUE) != nil }

  func isFalse(_ key: String) -> Bool { member(key, JSON_FALSE) != nil }

  /// A finite number, or a string that is one (seen in the wild for `expires_in`).
  func number(_ key: String) -> Double? {
    if let value = member(key, JSON_REAL) { return json_real_value(value) }
    return string(key).flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
  }

  /// A number of seconds, clamped to a century in either direction.
  func seconds(_ key: String) -> Duration? {
    let century = 3_155_760_000.0
    return number(key).map { .seconds(Int64(min(century, max(-century, $0)))) }
  }

  /// One string or an array of them; empty if it is neither.
  func strings(_ key: String) -> [String] {
    if let one = string(key) { return [one] }
    guard let array = member(key, JSON_ARRAY) else { return [] }
    return (0..<json_array_size(array)).compactMap { index in
      Self.text(json_array_get(array, index))
    }
  }
}

private enum Jansson {
  /// Must precede jansson's first allocation.
  static let isReady: Bool = {
    nl_json_use_wiping_allocator()
    return true
  }()
}
