import AuthModel
import CCurl
import CSodium
import Glibc
import Scheduling

extension HTTPClient {
  /// Sets everything up; returns curl's refusal, if there is one.
  static func configure(
    _ handle: UnsafeMutableRawPointer, _ request: HTTPRequest, _ headers: UnsafeMutablePointer<curl_slist>?,
    _ files: TransportFiles, _ transfer: Transfer
  ) -> CURLcode? {
    let isLoopback = ProviderDefinition.isLoopback(url: request.url.lowercased())
    var steps = [
      nl_curl_set_text(handle, CURLOPT_URL, request.url),
      nl_curl_set_text(handle, CURLOPT_PROTOCOLS_STR, isLoopback ? "http,https" : "https"),
      nl_curl_set_text(handle, CURLOPT_USERAGENT, "nightlatch"),
      nl_curl_set_list(handle, CURLOPT_HTTPHEADER, headers),
      nl_curl_set_number(handle, CURLOPT_NOSIGNAL, 1),
      // A name server that hangs must not hold us beyond the deadline: leave its thread behind.
      nl_curl_set_number(handle, CURLOPT_QUICK_EXIT, 1),
      // A captive portal's redirect would turn the POST into a GET and its page into an answer.
      nl_curl_set_number(handle, CURLOPT_FOLLOWLOCATION, 0),
      nl_curl_set_number(handle, CURLOPT_FRESH_CONNECT, 1),
      nl_curl_set_number(handle, CURLOPT_FORBID_REUSE, 1),
      nl_curl_set_number(handle, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
      nl_curl_set_number(handle, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
      nl_curl_set_number(handle, CURLOPT_CONNECTTIMEOUT_MS, connectTimeoutMilliseconds),
      nl_curl_set_write(handle, receiveBody, transfer.context),
      nl_curl_set_progress(handle, checkProgress, transfer.context),
      nl_curl_set_debug(handle, noteTraffic, transfer.context),
    ]
    steps += files.configure(handle, isLoopback: isLoopback)
    if let body = request.body {
      body.withBytes { bytes in
        // Not copied by curl: `request` owns the bytes until the transfer is over.
        steps.append(nl_curl_set_pointer(handle, CURLOPT_POSTFIELDS, bytes.baseAddress))
        steps.append(nl_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(bytes.count)))
      }
    }
    return steps.first { $0 != CURLE_OK }
  }

  static func headers(of request: HTTPRequest) -> UnsafeMutablePointer<curl_slist>? {
    var list = curl_slist_append(nil, "Accept: application/json")
    // Never wait for "100 Continue": the request is small and must be one write.
    list = curl_slist_append(list, "Expect:")
    if let type = request.contentType { list = curl_slist_append(list, "Content-Type: \(type)") }
    for header in request.headers { list = curl_slist_append(list, "\(header.name): \(header.value)") }
    if let authorization = request.authorization {
      let line = Secret(capacity: authorization.count + 32)
      line.append("Authorization: ")
      line.append(authorization)
      line.append(0)
      line.withBytes { list = curl_slist_append(list, $0.baseAddress?.assumingMemoryBound(to: CChar.self)) }
    }
    return list
  }

  static func free(_ list: inout UnsafeMutablePointer<curl_slist>?) {
    var entry = list
    while let current = entry {
      sodium_memzero(current.pointee.data, strlen(current.pointee.data))
      entry = current.pointee.next
    }
    curl_slist_free_all(list)
    list = nil
  }

  static func response(_ handle: UnsafeMutableRawPointer, _ transfer: Transfer) -> HTTPResponse {
    var status = 0
    nl_curl_get_number(handle, CURLINFO_RESPONSE_CODE, &status)
    let date = header(handle, "Date").flatMap(HTTPTime.date)
    let here = WallTime(seconds: Int64(time(nil)))
    return HTTPResponse(
      status: status,
      contentType: header(handle, "Content-Type").map { String($0.prefix { $0 != ";" }).lowercased() },
      date: date,
      retryAfter: header(handle, "Retry-After").flatMap { HTTPTime.retryAfter($0, now: date ?? here) },
      body: transfer.body)
  }

  private static func header(_ handle: UnsafeMutableRawPointer, _ name: String) -> String? {
    var header: UnsafeMutablePointer<curl_header>?
    guard curl_easy_header(handle, name, 0, UInt32(CURLH_HEADER), -1, &header) == CURLHE_OK else {
      return nil
    }
    return header.map { String(cString: $0.pointee.value) }
  }

  private static let connectTimeoutMilliseconds = 10_000
}

/// What happens while curl works: the answer's body, the deadline, and whether anything left.
final class Transfer {
  let body = Secret(capacity: 16 << 10)
  private let deadline: Instant
  private let stop: SignalHold?
  private var isTooLarge = false
  private var lateSince: Instant?
  private var isLate = false
  private var isStopped = false
  private(set) var mayHaveBeenSent = false

  init(deadline: Instant, stop: SignalHold?) {
    self.deadline = deadline
    self.stop = stop
  }

  var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard body.count + bytes.count <= HTTPClient.bodyLimit else {
      isTooLarge = true
      return false
    }
    body.append(bytes)
    return true
  }

  /// Awake again after the deadline, or late for any other reason: the answer may have come meanwhile and
  /// wait to be read. What is there is read within this time.
  private static let lastCall = Duration.seconds(1)

  /// The boot clock decides: a suspend in the middle of a request must not stretch it. curl asks at least
  /// once a second (CURLOPT_XFERINFOFUNCTION(3)), by a clock that a suspend stops.
  func mayContinue() -> Bool {
    let now = SystemClock.boot
    if now >= deadline, lateSince == nil { lateSince = now }
    isLate = lateSince.map { now - $0 >= Self.lastCall } ?? false
    isStopped = stop?.isStopRequested ?? false
    return !isLate && !isStopped
  }

  /// A proxy's CONNECT is not yet the request.
  func noteSent(_ bytes: UnsafeRawBufferPointer) {
    if !bytes.starts(with: "CONNECT ".utf8) { mayHaveBeenSent = true }
  }

  func failure(_ code: CURLcode) -> TransportFailure {
    let reason =
      if isTooLarge { "the answer is larger than 1 MiB" } else if isLate {
        "no answer in time"
      } else if isStopped { "stopped as asked" } else { String(cString: curl_easy_strerror(code)) }
    return TransportFailure(reason: reason, mayHaveBeenSent: mayHaveBeenSent)
  }

  static func of(_ context: UnsafeMutableRawPointer?) -> Transfer? {
    context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
  }
}

private let receiveBody: curl_write_callback = { bytes, size, count, context in
  let length = size * count
  let isTaken = Transfer.of(context)?.receive(UnsafeRawBufferPointer(start: bytes, count: length)) ?? false
  // Anything but the length ends the transfer.
  return isTaken ? length : 0
}

private let checkProgress: curl_xferinfo_callback = { context, _, _, _, _ in
  Transfer.of(context)?.mayContinue() == true ? 0 : 1
}

private let noteTraffic: curl_debug_callback = { _, kind, bytes, length, context in
  if kind == CURLINFO_HEADER_OUT || kind == CURLINFO_DATA_OUT {
    Transfer.of(context)?.noteSent(UnsafeRawBufferPointer(start: bytes, count: length))
  }
  return 0
}
