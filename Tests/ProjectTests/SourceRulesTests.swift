import Testing

/// Rules that a reviewer would otherwise have to remember.
struct SourceRulesTests {
  @Test(arguments: ["Sources", "Tests"])
  func `no file is longer than 300 lines`(folder: String) throws {
    for file in try SourceTree.swiftFiles(below: folder) {
      #expect(file.lines.count <= 300, "\(file) has \(file.lines.count) lines: what are its two topics?")
    }
  }

  @Test func `main files only wire things up`() throws {
    for file in try SourceTree.swiftFiles(below: "Sources") where file.path.hasSuffix("/main.swift") {
      #expect(file.lines.count <= 40, "\(file) has \(file.lines.count) lines")
    }
  }

  @Test(arguments: ["Sources", "Tests"])
  func `nothing switches the compiler's checks off`(folder: String) throws {
    for file in try SourceTree.swiftFiles(below: folder) {
      #expect(file.places(of: /@unchecked\s+Sendable|nonisolated\(unsafe\)|\bunsafeBitCast\(/).isEmpty)
    }
  }

  @Test(arguments: ["Sources", "Tests"])
  func `nothing is unwrapped by force`(folder: String) throws {
    for file in try SourceTree.swiftFiles(below: folder) {
      #expect(file.places(of: /\b(?:try|as)[!]|[\w\)\]\}>][!](?!=)/).isEmpty)
    }
  }

  @Test func `nothing ends the process on purpose but a main file`() throws {
    for file in try SourceTree.swiftFiles(below: "Sources") where !file.path.hasSuffix("/main.swift") {
      #expect(file.places(of: /\bfatalError\(/).isEmpty)
    }
  }

  @Test func `pure targets read no clock, no environment, no file and no randomness`() throws {
    let table = ImportTable(markdown: try SourceTree.text(of: "ARCHITECTURE.md"))
    let forbidden =
      /\b(?:ContinuousClock|SuspendingClock|SystemRandomNumberGenerator|ProcessInfo|CommandLine|FileManager|getenv|UUID\(\)|Date\(\)|Date\.now|Hasher|hashValue)\b|\.random\(|\.randomElement\(|\.shuffled?\(|contentsOf:\s*URL/
    for file in try SourceTree.swiftFiles(below: "Sources") where table.rows[file.target]?.kind == .pure {
      #expect(file.places(of: forbidden).isEmpty)
    }
  }

  @Test func `the daemon is one queue: no locks, no tasks, no waiting`() throws {
    let forbidden = /\b(?:Mutex|NSLock|DispatchSemaphore|pthread_mutex_\w+|await|async)\b(?!\s*[:(])/
    for target in ["LinuxPlatform", "JobStore", "NightlatchDaemon", "nightlatchd"] {
      for file in try SourceTree.swiftFiles(below: "Sources/" + target) {
        #expect(file.places(of: forbidden).isEmpty)
      }
    }
  }

  @Test(arguments: ["Sources", "Tests"])
  func `files are named by responsibility`(folder: String) throws {
    for file in try SourceTree.swiftFiles(below: folder) {
      let name = file.path.split(separator: "/").last.map(String.init) ?? ""
      #expect(
        name.lowercased().firstMatch(of: /util|common|helper|manager|misc/) == nil, "\(file)")
    }
  }
}
