import AuthModel

extension Reading<String> {
  /// An endpoint: `https`, or `http` to this machine; no fragment (RFC 6749 section 3.1 and 3.2).
  static var endpoint: Reading {
    text("a URL") { text, value, place in
      if text.contains("@") { return place.refuseUserInformation(value) }
      guard let problem = problem(withURL: text) else { return text }
      place.report("\(place.key) is \(text.quoted), but \(problem)", at: value.begin)
      return nil
    }
  }

  /// An issuer: as an endpoint, and without a query (OpenID Connect Discovery 1.0 section 3).
  static var issuer: Reading {
    text("a URL") { text, value, place in
      if text.contains("@") { return place.refuseUserInformation(value) }
      let query = text.contains("?") ? "an issuer has no query" : nil
      guard let problem = problem(withURL: text) ?? query else { return text }
      place.report("\(place.key) is \(text.quoted), but \(problem)", at: value.begin)
      return nil
    }
  }

  /// A proxy of HTTP or SOCKS. Without a password: it would be a secret in this file.
  static var proxy: Reading {
    text("a URL such as \"http://proxy.example.com:3128\"") { text, value, place in
      if text.contains("@") { return place.refuseUserInformation(value) }
      let schemes = ["http://", "https://", "socks5://", "socks5h://"]
      let scheme = schemes.first { text.hasPrefix($0) }
      if let scheme, isHostAndPort(text.dropFirst(scheme.count)) { return text }
      place.report(
        "\(place.key) is \(text.quoted), but http://HOST:PORT, https://, socks5:// or socks5h:// is expected",
        at: value.begin)
      return nil
    }
  }

  /// A web origin: scheme, host and port (RFC 6454 section 6.2).
  static var origin: Reading {
    text("a URL") { text, value, place in
      let authority = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? ""
      if problem(withURL: text) == nil, !authority.contains(where: { "/?@".contains($0) }) { return text }
      place.report(
        "\(place.key) is \(text.quoted), but https://HOST or https://HOST:PORT without a path is expected",
        at: value.begin)
      return nil
    }
  }
}

extension Reading<LoopbackRedirect> {
  /// Where a browser is sent after a login (RFC 8252 section 7.3).
  static var loopbackRedirect: Reading {
    let expected = "a URL such as http://127.0.0.1/callback or http://[::1]/callback"
    return text(expected) { text, value, place in
      if let redirect = LoopbackRedirect(text) { return redirect }
      place.report("\(place.key) is \(text.quoted), but \(expected) is expected", at: value.begin)
      return nil
    }
  }
}

extension Place {
  /// Does not repeat the URL: there may be a password in it.
  fileprivate func refuseUserInformation(_ value: TOMLValue) -> String? {
    report("\(key) contains an @, but a URL without user name and password is expected", at: value.begin)
    return nil
  }
}

/// What is wrong with the URL of an endpoint; nil when nothing is.
private func problem(withURL url: String) -> String? {
  guard url.utf8.count <= 2000 else { return "a URL of at most 2000 bytes is expected" }
  guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !#"<>"\^`{|}"#.utf8.contains($0) }) else {
    return "a URL consists of printable ASCII characters, others percent-encoded"
  }
  guard let separator = url.firstRange(of: "://") else {
    return "a URL that begins with https:// is expected"
  }
  let authority = url[separator.upperBound...].prefix { !"/?#".contains($0) }
  if url.contains("#") { return "a URL without a fragment (#...) is expected" }
  if !isHostAndPort(authority) {
    return "a host name, and a port from 1 to 65535 if any, are expected after ://"
  }
  switch url[..<separator.lowerBound] {
  case "https": return nil
  case "http" where ProviderDefinition.isLoopback(url: url): return nil
  case "http": return "https:// is required, except to this machine (127.0.0.1, [::1], localhost)"
  default: return "a URL that begins with https:// is expected"
  }
}

/// RFC 3986 section 3.2.2, without percent-encoded names.
private func isHostAndPort(_ authority: Substring) -> Bool {
  let bracketed = authority.hasPrefix("[")
  let host = authority.prefix { bracketed ? $0 != "]" : $0 != ":" }
  var rest = authority[host.endIndex...]
  if bracketed {
    guard rest.popFirst() == "]", host.count > 1 else { return false }
    guard host.dropFirst().allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else { return false }
  } else {
    guard !host.isEmpty, host.allSatisfy({ $0.isLetter || $0.isNumber || "-._~".contains($0) }) else {
      return false
    }
  }
  guard rest.popFirst() != nil else { return true }
  return rest.allSatisfy(\.isNumber) && (UInt16(rest) ?? 0) > 0
}
