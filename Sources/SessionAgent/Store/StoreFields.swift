import AuthModel
import Scheduling

/// The fields of an opened store, found but not copied.
struct StoreFields {
  private var values: [UInt8: UnsafeRawBufferPointer] = [:]

  /// Nil if the lengths don't add up or a tag comes twice.
  init?(_ content: UnsafeRawBufferPointer) {
    var rest = content[...]
    while !rest.isEmpty {
      guard rest.count >= 5 else { return nil }
      let header = UnsafeRawBufferPointer(rebasing: rest.prefix(5))
      let length = Int(UInt32(littleEndian: header.loadUnaligned(fromByteOffset: 1, as: UInt32.self)))
      rest = rest.dropFirst(5)
      guard length <= rest.count, values[header[0]] == nil else { return nil }
      values[header[0]] = UnsafeRawBufferPointer(rebasing: rest.prefix(length))
      rest = rest.dropFirst(length)
    }
  }

  func bytes(_ tag: StoreEncoding.Tag) -> UnsafeRawBufferPointer? { values[tag.rawValue] }

  func secret(_ tag: StoreEncoding.Tag) -> Secret? {
    bytes(tag).flatMap { $0.isEmpty ? nil : Secret($0) }
  }

  func text(_ tag: StoreEncoding.Tag) -> String? {
    bytes(tag).map { String(decoding: $0, as: UTF8.self) }
  }

  func integer(_ tag: StoreEncoding.Tag) -> UInt64? {
    guard let value = bytes(tag), value.count == 8 else { return nil }
    return UInt64(littleEndian: value.loadUnaligned(as: UInt64.self))
  }

  private func signed(_ tag: StoreEncoding.Tag) -> Int64? {
    integer(tag).map { Int64(bitPattern: $0) }
  }

  /// Clamped as ``Duration/wholeMicroseconds`` is: what is read is what would be written.
  func duration(_ tag: StoreEncoding.Tag) -> Duration? {
    signed(tag).map { .microseconds(Duration.microseconds($0).wholeMicroseconds) }
  }

  func wallTime(_ tag: StoreEncoding.Tag) -> WallTime? { signed(tag).map { WallTime(microseconds: $0) } }

  /// Nil without an identifier, or with linked accounts that are none.
  var user: User? {
    guard let id = text(.userID), let accounts = LinkedAccount.accounts(in: text(.linkedAccounts) ?? "")
    else {
      return nil
    }
    return User(
      id: id, name: text(.userName), email: text(.userEmail), username: text(.username),
      linkedAccounts: accounts)
  }

  var moment: Moment? {
    guard let bootID = text(.bootID), let boot = signed(.boot), let wall = signed(.wall) else { return nil }
    return Moment(
      bootID: BootID(bootID),
      now: Now(boot: Instant(microseconds: boot), wall: WallTime(microseconds: wall)))
  }
}
