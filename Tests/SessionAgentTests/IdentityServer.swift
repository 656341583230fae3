import AuthModel
import CLinux
import Glibc
import Scheduling
import Testing

@testable import SessionAgent

/// One of the project's test servers (`Tests/IdentityServers`) as a child process on a free loopback
/// port. It ends with its owner, or with this process: it reads standard input until its end.
final class TestServer {
  let url: String
  /// How this test talks to it.
  var transport = ProviderDefinition.Transport()
  private let child: Child

  init(_ script: String, _ arguments: [String]) throws {
    let folder = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    child = try Child("python3", ["/\(folder)/IdentityServers/\(script)", "--until-eof"] + arguments)
    let line = child.readLine()
    let prefix = "listening "
    guard line.hasPrefix(prefix) else { throw TestFailure("\(script) said: \(line)") }
    url = String(line.dropFirst(prefix.count))
  }

  deinit {
    // Also if a test has stopped it.
    kill(child.pid, SIGKILL)
    _ = child.wait()
  }

  var pid: Int32 { child.pid }

  var port: String { url.split(separator: ":").last.map(String.init) ?? "" }

  @discardableResult
  func post(_ path: String, _ body: String = "") throws -> JSONObject {
    try send(.post(url + path, body: Secret(body), timeout: .seconds(20), isInterruptible: false))
  }

  func get(_ path: String) throws -> JSONObject { try send(.get(url + path, timeout: .seconds(20))) }

  func text(_ path: String) throws -> String {
    try answer(.get(url + path, timeout: .seconds(20))).body.text
  }

  private func send(_ request: HTTPRequest) throws -> JSONObject {
    let body = try answer(request).body
    guard let object = JSONObject.parse(body) else { throw TestFailure("no object: \(body.text)") }
    return object
  }

  private func answer(_ request: HTTPRequest) throws -> HTTPResponse {
    let response = try HTTPClient(hold: SignalHold(), transport: transport).perform(request).get()
    guard response.status == 200 else {
      throw TestFailure("\(request.url): \(response.status) \(response.body.text)")
    }
    return response
  }
}

struct TestFailure: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}

/// A child process with pipes.
final class Child {
  let pid: pid_t
  private var input: Int32
  private let output: Int32

  /// - Parameter program: found through PATH if it has no slash. Standard error goes to the output.
  init(_ program: String, _ arguments: [String], environment: [String] = []) throws {
    var toChild: [Int32] = [0, 0]
    var fromChild: [Int32] = [0, 0]
    // Not inherited by the other children that tests start at the same time, or no end would be seen.
    guard nl_pipe(&toChild) == 0, nl_pipe(&fromChild) == 0 else {
      throw TestFailure("no pipe")
    }
    defer {
      close(toChild[0])
      close(fromChild[1])
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
    posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
    posix_spawn_file_actions_adddup2(&actions, fromChild[1], 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var arguments = ([program] + arguments).map { strdup($0) } + [nil]
    // Of two values of one variable the first counts.
    var variables = (environment + Self.environment).map { strdup($0) } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var pid: pid_t = 0
    let code = posix_spawnp(&pid, program, &actions, &attributes, &arguments, &variables)
    (self.pid, input, output) = (pid, toChild[1], fromChild[0])
    guard code == 0 else { throw TestFailure("cannot start \(program): \(code)") }
  }

  deinit {
    closeInput()
    close(output)
  }

  func write(_ text: String) {
    var text = text
    _ = text.withUTF8 { File.writeAll(input, UnsafeRawBufferPointer($0)) }
  }

  func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  func readLine() -> String {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while read(output, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
    return String(decoding: line, as: UTF8.self)
  }

  func readAll() -> String {
    var lines: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(output, &buffer, buffer.count)
      if count <= 0 { return String(decoding: lines, as: UTF8.self) }
      lines += buffer[..<count]
    }
  }

  enum Ending: Equatable {
    case exited(Int32)
    case killed(Int32)
  }

  func wait() -> Ending {
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
    let signal = status & 0x7f
    return signal == 0 ? .exited((status >> 8) & 0xff) : .killed(signal)
  }

  private static var environment: [String] {
    ["PATH", "HOME"].compactMap { (name: String) in getenv(name).map { "\(name)=\(String(cString: $0))" } }
  }
}
