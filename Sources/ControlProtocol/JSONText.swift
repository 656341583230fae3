/// JSON for programs that read the tool's output: the same as on the wire.
public enum JSONText {
  /// One line, without its end.
  public static func encode(_ value: some Encodable) -> String {
    String(decoding: Frame.encode(value), as: UTF8.self)
  }
}
