import AuthModel
import Glibc
import Scheduling
import Testing

@testable import AuthCache

@Suite struct PublishingTests {
  let folder = TemporaryFolder()

  @Test func `a reader finds each publication, in the mapping it has`() throws {
    let writer = try AuthCacheWriter(folder.file)
    #expect(writer.newest == .notReady(.noSnapshot))
    let reader = AuthCacheReader(folder.file, in: thisBoot)
    #expect(reader.read() == .notReady(.noSnapshot))
    for number in 1...10 as ClosedRange<UInt64> {
      #expect(try writer.publish(snapshot(number)) == snapshot(number))
      #expect(writer.newest == .snapshot(snapshot(number)))
      #expect(reader.read() == .snapshot(snapshot(number)))
      #expect(reader.read() == .snapshot(snapshot(number)))
    }
    let user = User(id: "user 10", name: "name 10")
    #expect(reader.authState(at: clocks) == .authenticated(user))
    #expect(folder.names == ["work"])
  }

  @Test func `the writer numbers the publications, not its caller`() throws {
    let writer = try AuthCacheWriter(folder.file)
    var unnumbered = snapshot(1)
    for expected in 1...3 as ClosedRange<UInt64> {
      unnumbered.generation = 77
      #expect(try writer.publish(unnumbered).generation == expected)
    }
  }

  @Test func `the next writer goes on where the last one stopped, in the same file`() throws {
    try AuthCacheWriter(folder.file).publish(snapshot(1))
    let reader = AuthCacheReader(folder.file, in: thisBoot)
    #expect(reader.read() == .snapshot(snapshot(1)))
    let inode = status(of: folder.file.path).st_ino
    let next = try AuthCacheWriter(folder.file)
    #expect(next.newest == .snapshot(snapshot(1)))
    try next.publish(snapshot(2))
    #expect(status(of: folder.file.path).st_ino == inode)
    #expect(reader.read() == .snapshot(snapshot(2)))
  }

  @Test func `a publication without a session is no session, not an error`() throws {
    let writer = try AuthCacheWriter(folder.file)
    let reader = AuthCacheReader(folder.file, in: thisBoot)
    var logout = snapshot(1)
    logout.session = .absent(.loggedOut)
    try writer.publish(logout)
    #expect(reader.authState(at: clocks) == .unauthenticated(.loggedOut))
    logout.session = .unreadable
    try writer.publish(logout)
    #expect(reader.authState(at: clocks) == .notReady(.unreadableStore))
  }

  /// A store through a mapping is invisible to inotify, so each publication touches the file.
  @Test func `each publication is an inotify event`() throws {
    let writer = try AuthCacheWriter(folder.file)
    let watch = inotify_init1(Int32(IN_NONBLOCK))
    defer { close(watch) }
    var events = [UInt8](repeating: 0, count: 4096)
    #expect(inotify_add_watch(watch, folder.path, UInt32(IN_MOVED_TO)) > 0)
    try writer.publish(snapshot(1))
    #expect(read(watch, &events, events.count) > 0)
    #expect(inotify_add_watch(watch, folder.file.path, UInt32(IN_ATTRIB)) > 0)
    try writer.publish(snapshot(2))
    #expect(read(watch, &events, events.count) > 0)
    #expect(read(watch, &events, events.count) == -1)
    try writer.publish(snapshot(3))
    #expect(read(watch, &events, events.count) > 0)
    unlink(folder.file.path)
    #expect(read(watch, &events, events.count) > 0, "so is its removal, though it is still mapped")
  }

  @Test func `the file is private unless a group is named`() throws {
    try AuthCacheWriter(folder.file).publish(snapshot(1))
    #expect(status(of: folder.file.path).st_mode & 0o7777 == 0o600)
  }

  @Test func `a file made with other permissions gets the right ones`() throws {
    try AuthCacheWriter(folder.file).publish(snapshot(1))
    var shared = folder.file
    shared.mode = 0o640
    shared.group = getgid()
    _ = try AuthCacheWriter(shared)
    #expect(status(of: shared.path).st_mode & 0o7777 == 0o640)
    #expect(AuthCacheReader(shared, in: thisBoot).read() == .snapshot(snapshot(1)))
  }

  @Test(.enabled(if: getuid() == 0)) func `the file belongs to the group that may read it`() throws {
    var shared = folder.file
    shared.mode = 0o640
    shared.group = 4711
    try AuthCacheWriter(shared).publish(snapshot(1))
    #expect(status(of: shared.path).st_gid == 4711)
    #expect(status(of: shared.path).st_mode & 0o7777 == 0o640)
  }

  @Test func `a missing folder is an error that names the file`() throws {
    let file = AuthCacheFile(path: "\(folder.path)/missing/work")
    let writer = try AuthCacheWriter(file)
    let error = #expect(throws: AuthCacheError.self) { try writer.publish(snapshot(1)) }
    #expect(error == .unwritable(path: file.path, step: "create", code: ENOENT))
    #expect("\(try #require(error))".contains(file.path))
    #expect(writer.newest == .notReady(.noSnapshot))
  }

  @Test func `a folder in the file's place is an error and leaves nothing behind`() throws {
    mkdir(folder.file.path, 0o700)
    let writer = try AuthCacheWriter(folder.file)
    #expect(throws: AuthCacheError.unwritable(path: folder.file.path, step: "rename", code: EISDIR)) {
      try writer.publish(snapshot(1))
    }
    #expect(folder.names == ["work"])
    #expect(AuthCacheReader(folder.file, in: thisBoot).read() == .notReady(.damagedSnapshot))
  }

  @Test func `what a killed writer left beside the file is cleared away`() throws {
    write([1, 2, 3], to: folder.file.temporaryPath)
    try AuthCacheWriter(folder.file).publish(snapshot(1))
    #expect(folder.names == ["work"])
    #expect(AuthCacheReader(folder.file, in: thisBoot).read() == .snapshot(snapshot(1)))
  }
}
