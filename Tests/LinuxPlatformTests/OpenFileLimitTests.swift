import CLinux
import Glibc
import Testing

@testable import LinuxPlatform

/// In a process of its own: the limit is the process's.
@Suite(.timeLimit(.minutes(1)))
struct OpenFileLimitTests {
  @Test func `more files may be open than were allowed, and a child is allowed what we were`() async {
    await #expect(processExitsWith: .success) { @MainActor in
      let hard = try #require(OpenFileLimit.current).hard
      try #require(nl_set_file_limit(256, hard) == 0)
      OpenFileLimit.raise()
      #expect(try #require(OpenFileLimit.current) == (hard, hard))
      // The child's pipes have numbers above its own limit, and come to lie below.
      for _ in 0..<300 { #expect(open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0) }
      let result = try await JobZoo.run("ulimit -Sn; ulimit -Hn; ls /proc/self/fd")
      #expect(result.text == "256\n\(hard)\n0\n1\n2\n3")
      #expect(try #require(OpenFileLimit.current) == (hard, hard))
    }
  }
}
