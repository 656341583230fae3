import Testing

/// Rules that a reviewer would otherwise have to remember.
struct SourceRulesTests {
  @Test func `no file is longer than 300 lines`() throws {
    for file in try SourceTree.allFiles() {
      #expect(file.lines.count <= 300, "\(file) has \(file.lines.count) lines: what are its two topics?")
    }
  }

  @Test func `main files only wire things up`() throws {
    for file in try SourceTree.sourceFiles() where file.name == "main.swift" {
      #expect(file.lines.count <= 40, "\(file) has \(file.lines.count) lines")
    }
  }

  @Test func `nothing switches the compiler's checks off`() throws {
    for file in try SourceTree.allFiles() {
      #expect(file.places(of: ["@unchecked Sendable", "nonisolated(unsafe)", "unsafeBitCast("]).isEmpty)
    }
  }

  @Test func `nothing is unwrapped by force`() throws {
    for file in try SourceTree.allFiles() {
      #expect(file.places { $0.contains("!") && $0.unwrapsByForce }.isEmpty)
    }
  }

  @Test(arguments: ["a!", "a!.b", "f()!", "a[0]!", "var a: B!", "try! f()", "a as! B", "a! == b"])
  func `an unwrapping is recognised`(line: String) { #expect(line.unwrapsByForce) }

  @Test(arguments: ["!a", "a != b", "if !a && !b", "(!a)", "a!=b", "return !f()"])
  func `a negation is no unwrapping`(line: String) { #expect(!line.unwrapsByForce) }

  /// Without memory that is locked and wiped, or without randomness, nothing safe is left to do with a secret.
  private let mayEndTheProcess = ["main.swift", "Secret.swift", "SessionKey.swift"]

  @Test func `nothing ends the process on purpose but a main file`() throws {
    for file in try SourceTree.sourceFiles() where !mayEndTheProcess.contains(file.name) {
      #expect(file.places(of: ["fatalError("]).isEmpty)
    }
  }

  @Test func `pure targets read no clock, no environment, no file and no randomness`() throws {
    let table = ImportTable(markdown: try SourceTree.text(of: "ARCHITECTURE.md"))
    let forbidden = [
      "ContinuousClock", "SuspendingClock", "Date()", "Date.now", "getenv", "ProcessInfo", "CommandLine",
      "FileManager", "SystemRandomNumberGenerator", ".random(", ".randomElement(", ".shuffle(", ".shuffled(",
      "UUID()", "Hasher()", ".hashValue",
    ]
    for file in try SourceTree.sourceFiles() where table.rows[file.target]?.kind == .pure {
      #expect(file.places(of: forbidden).isEmpty)
    }
  }

  @Test func `the daemon is one queue: no locks, no tasks, no waiting`() throws {
    let forbidden = ["Mutex", "NSLock", "DispatchSemaphore", "pthread_mutex_t", "await", "Task {", "Task("]
    let targets = ["LinuxPlatform", "JobStore", "NightlatchDaemon", "nightlatchd"]
    for file in try SourceTree.sourceFiles() where targets.contains(file.target) {
      #expect(file.places(of: forbidden).isEmpty)
    }
  }

  @Test func `files are named by responsibility`() throws {
    for file in try SourceTree.allFiles() {
      // systemd's own name for what it is.
      let name = file.name.replacing("ServiceManager", with: "").lowercased()
      #expect(!["util", "common", "helper", "manager", "misc"].contains { name.contains($0) }, "\(file)")
    }
  }
}
