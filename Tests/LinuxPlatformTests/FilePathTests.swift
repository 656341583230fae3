import Glibc
import Testing

@testable import LinuxPlatform

/// What has to be watched to know when a path leads to another file.
struct FilePathTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for name in ["one", "two", "two/inner"] { mkdir("\(folder.path)/\(name)", 0o700) }
  }

  private func link(_ name: String, to target: String) { symlink(target, "\(folder.path)/\(name)") }

  private func lookups(_ name: String) -> Set<String> {
    Set(FilePath.lookups(of: "\(folder.path)/\(name)").map { String($0.dropFirst(folder.path.count + 1)) })
  }

  @Test func `a plain file is looked up in its folder, whether it is there or not`() throws {
    _ = try folder.file("one/token", "x")
    for name in ["one/token", "one//token", "one/./token", "two/../one/token"] {
      #expect(lookups(name) == ["one/token"], "\(name)")
    }
    #expect(lookups("one/missing") == ["one/missing"])
    #expect(lookups("nowhere/token") == ["nowhere/token"])
  }

  @Test func `every link on the way counts, relative or absolute`() throws {
    _ = try folder.file("two/inner/token", "x")
    link("one/up", to: "../two")
    link("two/deep", to: "\(folder.path)/two/inner")
    #expect(lookups("one/up/deep/token") == ["one/up", "two/deep", "two/inner/token"])
  }

  @Test func `a volume that is swapped by one link has three places to watch`() throws {
    _ = try folder.file("two/token", "x")
    link("..data", to: "two")
    link("token", to: "..data/token")
    #expect(lookups("token") == ["token", "..data", "two/token"])
  }

  @Test func `a dangling link is watched with what it leads to`() {
    link("one/token", to: "../two/none/token")
    #expect(lookups("one/token") == ["one/token", "two/none/token"])
  }

  @Test func `links in a circle come to an end`() {
    link("one/a", to: "b")
    link("one/b", to: "a")
    #expect(lookups("one/a/token").isSuperset(of: ["one/a", "one/b"]))
    #expect(FilePath.lookups(of: "/") == [])
    #expect(FilePath.lookups(of: "/../..") == [])
  }
}
