import Glibc
import Testing

@testable import LinuxPlatform

@Suite(.timeLimit(.minutes(1)))
struct FolderTests {
  private static let home = ["HOME": "/home/a", "XDG_RUNTIME_DIR": "/run/user/7"]

  @Test func `root's folders are the system's`() throws {
    let (folders, rest) = try Folders.parse(["status", "--json"], environment: [:], isRoot: true)
    #expect(folders == .system)
    #expect(rest == ["status", "--json"])
    #expect(folders.jobs == ["/etc/nightlatch/jobs.d", "/usr/lib/nightlatch/jobs.d"])
    #expect(folders.controlSocket == "/run/nightlatch/control.sock")
  }

  @Test func `a user's folders follow XDG, with its defaults`() throws {
    let folders = try Folders.parse(["--user"], environment: Self.home, isRoot: true).folders
    #expect(folders.configuration == "/home/a/.config/nightlatch")
    #expect(folders.state == "/home/a/.local/state/nightlatch")
    #expect(folders.runtime == "/run/user/7/nightlatch")
    #expect(folders.vendor == nil)
    let xdg = [
      "HOME": "/home/a", "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "relative", "XDG_RUNTIME_DIR": "/r",
    ]
    let others = try Folders.parse([], environment: xdg, isRoot: false).folders
    #expect(others.configuration == "/c/nightlatch")
    #expect(others.state == "/home/a/.local/state/nightlatch")
    #expect(others.runtime == "/r/nightlatch")
  }

  @Test func `options come before variables, variables before defaults`() throws {
    let environment = ["NIGHTLATCH_CONFIG": "/e/c", "NIGHTLATCH_STATE": "/e/s", "NIGHTLATCH_RUNTIME": ""]
    let (folders, rest) = try Folders.parse(
      ["--config", "/o/c", "run", "--state=/o/s/", "--", "--runtime", "x"], environment: environment,
      isRoot: true)
    #expect(folders.configuration == "/o/c")
    #expect(folders.vendor == nil)
    #expect(folders.state == "/o/s")
    #expect(folders.runtime == "/run/nightlatch")
    #expect(rest == ["run", "--", "--runtime", "x"])
    #expect(try Folders.parse([], environment: environment, isRoot: true).folders.state == "/e/s")
  }

  @Test func `a relative folder is below the working folder`() throws {
    let folders = try Folders.parse(["--state", "x"], environment: Self.home, isRoot: false).folders
    #expect(folders.state.hasPrefix("/"))
    #expect(folders.state.hasSuffix("/x"))
  }

  @Test(arguments: [["--config"], ["--state="], ["--runtime", ""]])
  func `an option without its folder is an error`(arguments: [String]) {
    #expect(throws: PlatformError.self) {
      try Folders.parse(arguments, environment: Self.home, isRoot: false)
    }
  }

  @Test func `missing folders are created for their owner only`() throws {
    let (root, folders) = try scratch()
    try folders.ensure()
    try folders.ensure()
    let expected: [(String, UInt32)] = [
      (folders.state, 0o700), (folders.sessions, 0o700), (folders.runtime, 0o755), (folders.auth, 0o700),
      (folders.tokens, 0o700), (folders.runs, 0o711),
    ]
    for (path, mode) in expected { #expect((try? FileStatus(of: path))?.permissions == mode, "\(path)") }
    #expect((try? FileStatus(of: root.path))?.isFolder == true)
  }

  @Test func `a link, a file and a folder open to others are refused`() throws {
    let (root, folders) = try scratch()
    try folders.ensure()
    chmod(folders.sessions, 0o750)
    #expect(throws: PlatformError.self) { try folders.ensure() }
    chmod(folders.sessions, 0o700)
    chmod(folders.runtime, 0o777)
    #expect(throws: PlatformError.self) { try folders.ensure() }
    chmod(folders.runtime, 0o755)
    rmdir(folders.tokens)
    symlink(root.path, folders.tokens)
    #expect(
      throws: PlatformError.unsafePath(folders.tokens, why: "it is a symbolic link; name the folder itself")
    ) {
      try folders.ensure()
    }
    unlink(folders.tokens)
    close(open(folders.tokens, O_CREAT | O_WRONLY, 0o600))
    #expect(throws: PlatformError.unsafePath(folders.tokens, why: "it is not a folder")) {
      try folders.ensure()
    }
  }

  @Test(.enabled(if: geteuid() == 0))
  func `another user's folder is refused`() throws {
    let (root, folders) = try scratch()
    try folders.ensure()
    chown(folders.state, 65534, 65534)
    #expect(throws: PlatformError.self) { try folders.ensure() }
    #expect((try? FileStatus(of: root.path)) != nil)
  }

  @Test func `two daemons on one folder get an error that names the first`() throws {
    let (root, folders) = try scratch()
    try folders.ensure()
    var lock: StateLock? = try StateLock(folders: folders)
    #expect(throws: PlatformError.folderInUse(folders.state, holder: getpid())) {
      try StateLock(folders: folders)
    }
    #expect(lock != nil)
    lock = nil
    lock = try StateLock(folders: folders)
    #expect(lock != nil)
    #expect((try? FileStatus(of: root.path)) != nil)
  }

  @Test func `an earlier folder's file hides a later one's, and one bad file stops nobody`() throws {
    let folder = try TemporaryFolder()
    let (admin, vendor) = (try folder.folder("admin"), try folder.folder("vendor"))
    _ = try folder.file("admin/a.toml", "admin")
    _ = try folder.file("vendor/a.toml", "vendor")
    _ = try folder.file("vendor/b.toml", "vendor")
    _ = try folder.file("admin/.hidden.toml", "x")
    _ = try folder.file("admin/a.toml~", "x")
    _ = try folder.file("admin/big.toml", String(repeating: "#", count: SourceFiles.limit + 1))
    mkfifo("\(admin)/fifo.toml", 0o600)
    let (sources, failures) = SourceFiles.load(folders: [admin, vendor, "\(folder.path)/missing"])
    #expect(sources.map(\.name) == ["a", "b"])
    #expect(sources.map { String(decoding: $0.text, as: UTF8.self) } == ["admin", "vendor"])
    #expect(failures.map(\.path) == ["\(admin)/big.toml", "\(admin)/fifo.toml"])
    let file = SourceFiles.load(folders: ["\(admin)/a.toml"])
    #expect(file.failures.map(\.path) == ["\(admin)/a.toml"])
    #expect(file.failures.map(\.isFolder) == [true])
    #expect(failures.map(\.isFolder) == [false, false])
    #expect(SourceFiles.list(folders: [admin, vendor]).paths.keys.sorted() == ["a", "b", "big", "fifo"])
  }

  @Test func `the first of several files is the one`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("nightlatch.toml", "x")
    #expect(try SourceFiles.first(of: ["/no/such", path])?.path == path)
    #expect(try SourceFiles.first(of: ["/no/such"]) == nil)
    #expect(throws: PlatformError.self) { try SourceFiles.first(of: [folder.path]) }
    // One that can't be looked at is not skipped: what comes after it would be taken for what it says.
    symlink("loop", "\(folder.path)/loop")
    #expect(throws: PlatformError.self) {
      try SourceFiles.first(of: ["\(folder.path)/loop/nightlatch.toml", path])
    }
  }

  @Test func `a process's line is read whatever its name is`() throws {
    let tail = "S 1 2 3 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 777 0"
    for name in ["sh", "a b", "x) R 9 (y"] {
      let entry = try #require(ProcessTable.parse("42 (\(name)) \(tail)"))
      #expect(entry == .init(parent: 1, group: 2, session: 3, startTicks: 777, isZombie: false))
    }
    for broken in [
      "", "42", "42 (sh", "42 (sh) S 1 2", "42 (sh) S x 2 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
    ] {
      #expect(ProcessTable.parse(broken) == nil)
    }
    #expect(ProcessTable.ancestors(of: getpid()).first == getpid())
  }

  private func scratch() throws -> (root: TemporaryFolder, folders: Folders) {
    let root = try TemporaryFolder()
    let path = root.path
    return (
      root,
      Folders(
        mode: .user, configuration: "\(path)/deep/er/config", vendor: nil, state: "\(path)/deep/state",
        runtime: "\(path)/run")
    )
  }
}
