import CCurl
import Scheduling

/// A complete answer.
struct HTTPResponse {
  var status: Int
  /// The media type, in lower case and without parameters.
  var contentType: String?
  /// The server's clock.
  var date: WallTime?
  /// How long the server asks to be left alone.
  var retryAfter: Duration?
  var body: Secret
}

/// Why there is no complete answer.
struct TransportFailure: Error, Hashable {
  /// Without secrets.
  var reason: String
  /// Whether a byte of the request was handed to the kernel: from then on nobody knows what the
  /// server did.
  var mayHaveBeenSent: Bool
}

/// Dates and delays in headers.
enum HTTPTime {
  /// An HTTP date in any of its three formats (RFC 9110 section 5.6.7); nil if it is none.
  static func date(_ text: String) -> WallTime? {
    let seconds = curl_getdate(text, nil)
    return seconds < 0 ? nil : WallTime(seconds: Int64(seconds))
  }

  /// `Retry-After`: seconds or a date (RFC 9110 section 10.2.3), as a delay from `now`, the server's
  /// own clock if it sent one. At most a day: no server may silence us for ever.
  static func retryAfter(_ text: String, now: WallTime) -> Duration? {
    let text = text.filter { !$0.isWhitespace || $0 == " " }
    let day = Duration.seconds(86_400)
    if !text.isEmpty, text.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) {
      return min(day, .seconds(Int64(text) ?? 86_400))
    }
    return date(text).map { min(day, max(.zero, $0 - now)) }
  }
}
