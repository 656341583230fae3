import AuthModel
import CCurl
import Glibc
import Scheduling

/// Blocking HTTP, one connection a request, on libcurl.
///
/// A connection is never reused: curl quietly repeats a request when a reused connection turns out
/// to be dead, and a refresh token must not be spent twice behind our back.
struct HTTPClient {
  /// No identity provider has more to say.
  static let bodyLimit = 1 << 20

  let hold: SignalHold
  var transport = ProviderDefinition.Transport()
  /// `$CREDENTIALS_DIRECTORY`, where the key of a client certificate may be.
  var credentialsFolder: String?

  /// - Throws: only before anything is sent.
  func perform(_ request: HTTPRequest) throws(AgentError) -> Result<HTTPResponse, TransportFailure> {
    guard Self.isAllowed(request.url) else { throw .insecureURL(Self.printable(request.url)) }
    let files = try TransportFiles(transport, credentialsFolder: credentialsFolder)
    guard Curl.isReady, let handle = curl_easy_init() else {
      return .failure(TransportFailure(reason: "libcurl could not be started", mayHaveBeenSent: false))
    }
    defer { curl_easy_cleanup(handle) }
    let transfer = Transfer(
      deadline: SystemClock.boot + request.timeout, stop: request.isInterruptible ? hold : nil)
    var headers = Self.headers(of: request)
    defer { Self.free(&headers) }
    let code = withExtendedLifetime((transfer, files)) {
      Self.configure(handle, request, headers, files, transfer) ?? curl_easy_perform(handle)
    }
    guard code == CURLE_OK else { return .failure(transfer.failure(code)) }
    return .success(Self.response(handle, transfer))
  }

  /// HTTPS, or plain HTTP to this machine; nothing that could smuggle a second request or a user.
  static func isAllowed(_ url: String) -> Bool {
    guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\\") }), !url.contains("#")
    else { return false }
    let lower = url.lowercased()
    if lower.hasPrefix("http://") { return ProviderDefinition.isLoopback(url: lower) }
    guard lower.hasPrefix("https://") else { return false }
    let authority = lower.dropFirst(8).prefix { !"/?".contains($0) }
    return !authority.isEmpty && !authority.contains("@")
  }

  /// The host and port of a URL, for messages.
  static func host(_ url: String) -> String {
    guard let scheme = url.firstRange(of: "://") else { return printable(url) }
    return printable(String(url[scheme.upperBound...].prefix { !"/?#".contains($0) }))
  }

  /// A stranger's text, made fit for a terminal and a log line.
  static func printable(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.prefix(200).filter { scalar in
          switch scalar.properties.generalCategory {
          // The last of these turn the direction of text around, or end a line.
          case .control, .format, .lineSeparator, .paragraphSeparator: false
          default: true
          }
        }))
  }
}

enum Curl {
  static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}
