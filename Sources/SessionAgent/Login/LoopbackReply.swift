/// A page for the browser: plain, small, and nothing in it is a stranger's.
struct LoopbackReply: Hashable {
  var status: String
  var title: String
  var text: String

  static let welcome = LoopbackReply(
    status: "200 OK", title: "Done", text: "The terminal shows how the login ends. You can close this window."
  )
  static let denied = LoopbackReply(
    status: "200 OK", title: "Not logged in",
    text: "The terminal says why. You can close this window.")
  /// The `state` is not ours: an old page, or somebody else's.
  static let stranger = LoopbackReply(
    status: "400 Bad Request", title: "Not expected",
    text: "This does not answer the login that is going on. Use the page that the terminal shows.")
  static let malformed = LoopbackReply(
    status: "400 Bad Request", title: "Not understood", text: "This is not a request of a browser.")
  static let otherPath = LoopbackReply(
    status: "404 Not Found", title: "Nothing here", text: "Only the end of a login is waited for here.")
  static let otherMethod = LoopbackReply(
    status: "405 Method Not Allowed\r\nAllow: GET", title: "Not expected", text: "Only GET is answered here.")
  static let tooLarge = LoopbackReply(
    status: "431 Request Header Fields Too Large", title: "Too large", text: "No browser sends so much.")

  /// The page may not run, load or leak anything, the query of its own address included.
  var bytes: [UInt8] {
    let body =
      "<!doctype html><meta charset=\"utf-8\"><title>Nightlatch</title><h1>\(title)</h1><p>\(text)</p>\n"
    return Array(
      """
      HTTP/1.1 \(status)\r
      Content-Type: text/html; charset=utf-8\r
      Content-Length: \(body.utf8.count)\r
      Content-Security-Policy: default-src 'none'\r
      Referrer-Policy: no-referrer\r
      Cache-Control: no-store\r
      Connection: close\r
      \r
      \(body)
      """.utf8)
  }
}
