/// Why a session store that exists can't be used. None of these is "logged out".
public enum UnreadableReason: Hashable, Sendable, CustomStringConvertible {
  /// The store was sealed, and there is no key at all.
  case missingKey
  /// There is a key, but the store was sealed with another.
  case wrongKey
  /// It was sealed on another machine: using its refresh token here would end the session there.
  case otherMachine
  /// The file is not a session store.
  case foreignFile
  /// A newer program wrote it.
  case unknownVersion(UInt8)
  /// It is too short, or its seal is broken, or it was sealed for another provider.
  case damaged
  /// The system refused to read it.
  case inaccessible(String)

  /// Whether it may be readable the next time, with nothing mended.
  var isPassing: Bool {
    if case .inaccessible = self { true } else { false }
  }

  public var description: String {
    switch self {
    case .missingKey:
      "the key it was sealed with is missing (credential nightlatch-session-key, or the file key)"
    case .wrongKey: "it was sealed with another key"
    case .otherMachine:
      "it was copied from another machine, and two machines can't share a session; move it away and log in here"
    case .foreignFile: "the file is not a session store"
    case .unknownVersion(let version): "its format is version \(version), which this program does not know"
    case .damaged: "the file is damaged, or was sealed for another provider"
    case .inaccessible(let reason): reason
    }
  }
}
