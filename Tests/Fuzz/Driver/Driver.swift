// What libFuzzer calls. One program holds every harness; the name it is started by picks one.

private let harness: Harness = {
  let name = CommandLine.arguments.first?.split(separator: "/").last ?? ""
  guard let harness = Harness.all.first(where: { $0.name == name }) else {
    fatalError("no harness \(name); there are \(Harness.all.map(\.name).joined(separator: ", "))")
  }
  return harness
}()

@c(LLVMFuzzerTestOneInput)
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do {
    try harness.check(Array(UnsafeBufferPointer(start: bytes, count: count)))
  } catch {
    fatalError("\(harness.name): \(error)")
  }
  return 0
}

/// A name that is wrong ends the program before anything is tried.
@c(LLVMFuzzerInitialize)
public func initialize(
  _ count: UnsafeMutableRawPointer, _ arguments: UnsafeMutableRawPointer
) -> CInt {
  _ = harness
  return 0
}
