import Testing

@testable import AuthModel

@Suite struct LoopbackRedirectTests {
  static let accepted: [(String, LoopbackRedirect)] = [
    ("http://127.0.0.1", LoopbackRedirect(host: .ipv4, path: "/")),
    ("http://127.0.0.1/", LoopbackRedirect(host: .ipv4, path: "/")),
    ("http://127.0.0.1/callback", .standard),
    ("http://127.0.0.1:8400/a/b.c~d", LoopbackRedirect(host: .ipv4, port: 8400, path: "/a/b.c~d")),
    ("http://[::1]:65535/x", LoopbackRedirect(host: .ipv6, port: 65535, path: "/x")),
    ("http://[::1]", LoopbackRedirect(host: .ipv6, path: "/")),
  ]

  @Test(arguments: accepted) func `an address of this machine`(uri: String, redirect: LoopbackRedirect) {
    #expect(LoopbackRedirect(uri) == redirect)
  }

  @Test(arguments: [
    "", "http://", "https://127.0.0.1/", "http://localhost/", "http://127.0.0.2/",
    "http://127.0.0.1.example/",
    "http://127.0.0.1:0/", "http://127.0.0.1:65536/", "http://127.0.0.1:/", "http://127.0.0.1:+80/",
    "http://127.0.0.1:8\u{661}/", "http://127.0.0.1x", "http://127.0.0.1/a?b", "http://127.0.0.1/a#b",
    "http://127.0.0.1/ ", "http://127.0.0.1/%41", "http://a@127.0.0.1/", "http://[::1/", "http://[::2]/",
    "HTTP://127.0.0.1/",
  ]) func `anything else is refused`(uri: String) {
    #expect(LoopbackRedirect(uri) == nil)
  }

  @Test func `a listener's address reads back with its port`() throws {
    for (_, redirect) in Self.accepted {
      var listening = redirect
      listening.port = 4711
      #expect(LoopbackRedirect(redirect.uri(port: 4711)) == listening)
    }
  }
}
