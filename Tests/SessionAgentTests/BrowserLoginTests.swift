import AuthModel
import Glibc
import Scheduling
import Testing

@testable import SessionAgent

/// `nightlatch-foreground login --browser`, with a test that plays the browser.
@Suite struct BrowserLoginTests {
  /// A login that has shown its page.
  struct Login {
    let agent: Child
    let url: String
    var shown: String

    init(_ world: FlowWorld, environment: [String] = []) throws {
      agent = try world.start(["login", "work", "--browser"], environment: environment)
      agent.closeInput()
      shown = ""
      while !shown.contains("Waiting for the browser") {
        let line = agent.readLine()
        if line.isEmpty && shown.hasSuffix("\n\n\n") { throw TestFailure("no page: \(shown)") }
        shown += line + "\n"
      }
      let line = shown.split(separator: "\n").first { $0.hasPrefix("    http") }
      url = line?.drop { $0 == " " }.description ?? ""
    }

    func end() -> (ending: Child.Ending, output: String) {
      let output = agent.readAll()
      return (agent.wait(), shown + output)
    }
  }

  @Test(arguments: ["ES256", "RS256"]) func `a browser that follows the page logs in`(algorithm: String)
    throws
  {
    let world = try FlowWorld(["--id-token-alg", algorithm])
    let login = try Login(world)
    let redirect = try TestBrowser.redirect(login.url)
    let page = try TestBrowser.open(redirect)
    #expect(page.hasPrefix("HTTP/1.1 200 OK\r\n") && page.contains("You can close this window"))
    let (ending, output) = login.end()
    #expect(ending == .exited(0), "\(output)")
    #expect(output.contains("logged in as Alice Example"))
    #expect(try world.state()?.user?.email == "alice@example.com")
    #expect(try world.record().authTime != nil)
    #expect(try world.run(["refresh", "work"]).ending == .exited(0))
    // The listener is gone with the login.
    #expect(throws: TestFailure.self) { try TestBrowser.open(redirect) }
  }

  @Test func `it waits where the provider file says, also on the other loopback address`() throws {
    let world = try FlowWorld()
    world.more = "redirect_uri = \"http://[::1]/deep/callback\"\n"
    let login = try Login(world)
    let redirect = try TestBrowser.redirect(login.url)
    #expect(redirect.hasPrefix("http://[::1]:") && redirect.contains("/deep/callback?code="))
    try TestBrowser.open(redirect)
    #expect(login.end().ending == .exited(0))
  }

  /// The only one that some providers send a browser to.
  @Test(arguments: LoopbackRedirect.Host.allCases)
  func `a port that the provider file names is the one, or none is`(
    host: LoopbackRedirect.Host
  ) throws {
    let occupant = try LoopbackSocket.occupying(host)
    let uri = occupant.redirect.uri(port: occupant.port)
    let world = try FlowWorld()
    world.more = "redirect_uri = \"\(uri)\"\n"
    let (ending, output) = try world.run(["login", "work", "--browser"])
    #expect(ending == .exited(75))
    #expect(output.contains("cannot listen on \(uri): Address already in use"), "\(output)")
    #expect(!output.contains("/authorize") && !output.contains("Waiting"), "nobody is sent to a page in vain")

    close(occupant.descriptor)
    let login = try Login(world)
    let redirect = try TestBrowser.redirect(login.url)
    #expect(redirect.hasPrefix(uri + "?code="))
    try TestBrowser.open(redirect)
    #expect(login.end().ending == .exited(0))
  }

  /// Each is answered, or let go, and the login goes on.
  @Test func `hostile bytes cost the login nothing`() throws {
    let world = try FlowWorld()
    let login = try Login(world)
    let redirect = try TestBrowser.redirect(login.url)
    let port = try TestBrowser.port(of: redirect)
    // These never finish.
    let idlers = try (0..<40).map { _ in try TestConnection(port: port) }
    for idler in idlers { idler.send("GET /callback?code=x&state=") }
    let state = try #require(redirect.firstRange(of: "&state="))
    let forged = redirect[..<state.lowerBound] + "&state=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    #expect(try TestBrowser.open(String(forged)).hasPrefix("HTTP/1.1 400 "))
    #expect(try TestBrowser.open(TestBrowser.host(redirect, path: "/")).hasPrefix("HTTP/1.1 404 "))
    let method = try TestBrowser.send("POST /callback HTTP/1.1\r\nContent-Length: 0\r\n\r\n", to: redirect)
    #expect(method.hasPrefix("HTTP/1.1 405 ") && method.contains("Allow: GET"))
    #expect(try TestBrowser.send("\u{16}\u{3}\u{1}\u{2}\n\n", to: redirect).hasPrefix("HTTP/1.1 400 "))
    let huge = "GET /callback HTTP/1.1\r\n" + String(repeating: "X-Header: value\r\n", count: 4096)
    _ = try TestBrowser.send(huge, to: redirect)
    #expect(try TestBrowser.open(redirect).hasPrefix("HTTP/1.1 200 OK"))
    let (ending, output) = login.end()
    #expect(ending == .exited(0), "\(output)")
    withExtendedLifetime(idlers) {}
  }

  @Test func `a person who says no is told so`() throws {
    let world = try FlowWorld(["--consent", "false"])
    let login = try Login(world)
    let page = try TestBrowser.open(try TestBrowser.redirect(login.url))
    #expect(page.contains("Not logged in"))
    let (ending, output) = login.end()
    #expect(ending == .exited(77))
    #expect(output.contains("access_denied: the person said no"), "\(output)")
    #expect(try world.sessionBytes() == nil)
  }

  @Test func `an answer of another issuer, or of none, is refused`() throws {
    for (iss, words) in [
      ("&iss=https%3A%2F%2Fevil.example", "another issuer"), ("", "does not name its issuer"),
    ] {
      let world = try FlowWorld()
      let login = try Login(world)
      let redirect = try TestBrowser.redirect(login.url)
      let start = try #require(redirect.firstRange(of: "&iss="))
      try TestBrowser.open(redirect[..<start.lowerBound] + iss)
      let (ending, output) = login.end()
      #expect(ending == .exited(77))
      #expect(output.contains(words), "\(output)")
      #expect(try world.text("/test/log").components(of: "authorization_code") == 0)
    }
  }

  @Test func `a code that is not for us is refused by the server`() throws {
    let world = try FlowWorld()
    let login = try Login(world)
    // Another login's code: its challenge is not ours.
    let challenge = try #require(login.url.firstRange(of: "code_challenge="))
    var foreign = login.url
    let end = foreign.index(challenge.upperBound, offsetBy: 43)
    foreign.replaceSubrange(challenge.upperBound..<end, with: String(repeating: "A", count: 43))
    try TestBrowser.open(try TestBrowser.redirect(foreign))
    let (ending, output) = login.end()
    #expect(ending == .exited(77))
    #expect(output.contains("the code verifier does not fit"), "\(output)")
  }

  @Test func `Ctrl-C ends it cleanly`() throws {
    let world = try FlowWorld()
    let login = try Login(world)
    kill(login.agent.pid, SIGINT)
    #expect(login.end().ending == .exited(75))
    #expect(try world.sessionBytes() == nil)
  }

  /// With a desktop the page is opened, by a program that is found as any other.
  @Test func `a desktop is asked to open the page`() throws {
    let world = try FlowWorld()
    try File.makeFolder(world.folder.path + "/bin")
    try world.folder.write(
      "bin/xdg-open",
      "#!/bin/sh\nprintf %s \"$1\" > \(world.folder.path)/opened.new\nmv \(world.folder.path)/opened.new \(world.folder.path)/opened\n",
      mode: 0o700)
    let login = try Login(
      world, environment: ["PATH=\(world.folder.path)/bin:/usr/bin:/bin", "WAYLAND_DISPLAY=wayland-0"])
    #expect(login.shown.contains("A browser has been asked"))
    try waitUntil { (try? world.folder.read("opened")) ?? nil != nil }
    let opened = String(decoding: try #require(try world.folder.read("opened")), as: UTF8.self)
    #expect(opened == login.url)
    try TestBrowser.open(try TestBrowser.redirect(opened))
    #expect(login.end().ending == .exited(0))
  }

  @Test func `no secret is in the arguments, the environment or the output`() throws {
    let world = try FlowWorld()
    let login = try Login(world)
    let redirect = try TestBrowser.redirect(login.url)
    var seen = ["cmdline", "environ"].map { name in
      let bytes = try? File.read("/proc/\(login.agent.pid)/\(name)", limit: 1 << 16)
      return String(decoding: bytes.flatMap { $0 } ?? [], as: UTF8.self)
    }.joined()
    #expect(seen.contains("--browser") && seen.contains("PATH="))
    try TestBrowser.open(redirect)
    seen += login.end().output
    let code = redirect.split(separator: "code=").last?.prefix { $0 != "&" }
    let record = try world.record()
    for secret in [
      record.accessToken.text, try #require(record.refreshToken).text, try #require(code).description,
    ] {
      #expect(secret.utf8.count > 20 && !seen.contains(secret))
    }
  }
}

extension LoopbackSocket {
  /// Takes a port from below those that the kernel gives out, so that no other test is given it afterwards.
  fileprivate static func occupying(_ host: LoopbackRedirect.Host) throws -> LoopbackSocket {
    let first = UInt16(20_000 + getpid() % 10_000)
    for port in first..<(first + 100) {
      let redirect = LoopbackRedirect(host: host, port: port, path: "/callback")
      if case .success(let socket) = listen(redirect) { return socket }
    }
    throw TestFailure("every port is taken")
  }
}
