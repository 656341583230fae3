import AuthModel

extension Reading<ProviderName> {
  static var providerName: Reading {
    text("a provider's name") { text, value, place in
      if SourceFile.isValid(identifier: text) { return ProviderName(text) }
      place.report(
        "\(place.key) is \(text.quoted), but the name of a file in providers.d without its ending is expected",
        at: value.begin)
      return nil
    }
  }
}

extension Reading<String> {
  /// A login name: what systemd accepts in relaxed mode (systemd.io/USER_NAMES), so that names from a
  /// directory server are not refused.
  static var userName: Reading {
    text("a user name") { text in
      let forbidden = text.unicodeScalars.contains {
        $0 == ":" || $0 == "/" || $0.properties.generalCategory == .control
      }
      let isPadded = text.first?.isWhitespace ?? true || text.last?.isWhitespace ?? true
      return !forbidden && !isPadded && text != "." && text != ".." && text.utf8.count <= 256
    }
  }

  /// The name of a systemd credential: one file name (systemd.exec(5), `LoadCredential=`).
  static var credentialName: Reading {
    text("a credential name") { text, value, place in
      let isFileName = !text.isEmpty && text != "." && text != ".." && text.utf8.count <= 255
      if isFileName && !text.contains("/") { return text }
      place.report(
        "\(place.key) is not a credential name, but one without a slash is expected", at: value.begin)
      return nil
    }
  }
}

/// Whether a job file may set an environment variable of this name, and why not.
func complaint(aboutVariable name: String) -> String? {
  let digits = "0"..."9"
  let isName =
    !name.isEmpty && !digits.contains(String(name.prefix(1)))
    && name.utf8.allSatisfy { byte in
      let scalar = Character(Unicode.Scalar(byte))
      return scalar.isASCII && (scalar.isLetter || scalar.isNumber || scalar == "_")
    }
  if !isName { return "\(name.quoted) is not a variable name, but letters, digits and _ are expected" }
  if name.hasPrefix("NIGHTLATCH_") {
    return "\(name) can't be set: names that begin with NIGHTLATCH_ are reserved"
  }
  return nil
}
