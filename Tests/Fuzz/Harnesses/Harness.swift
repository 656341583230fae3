/// One parser under any bytes at all: it may refuse them, but must not trap, and what it accepts must hold
/// together.
///
/// `scripts/fuzz` feeds each harness with what libFuzzer comes up with, the test suite with the files of
/// `Corpus/NAME`: an input that once failed becomes a regression test by being copied there.
struct Harness: Sendable, CustomStringConvertible {
  /// Names the corpus folder and the program.
  let name: String
  /// Throws a ``Violation`` where something does not hold together.
  let check: @Sendable ([UInt8]) throws -> Void

  init(_ name: String, check: @escaping @Sendable ([UInt8]) throws -> Void) {
    self.name = name
    self.check = check
  }

  var description: String { name }

  static let all =
    scheduling + configuration + authentication + control + platform + agent + providers + login
}

/// What did not hold for an input.
struct Violation: Error, CustomStringConvertible {
  var description: String
}

/// Throws unless both are equal.
func expect<Value: Equatable>(_ left: Value, equals right: Value, _ rule: String) throws {
  if left != right { throw Violation(description: "\(rule): \(left) is not \(right)") }
}

func expect(_ condition: Bool, _ rule: String) throws {
  if !condition { throw Violation(description: rule) }
}

extension String {
  init(input: [UInt8]) { self.init(decoding: input, as: UTF8.self) }
}
