/// An account elsewhere that belongs to a user, such as an e-mail address or a wallet.
public struct LinkedAccount: Hashable, Sendable {
  /// What it is, in the provider's word: `email`, `google_oauth`, `wallet`, ...
  public var kind: String
  /// What it is called there: an address, a user name, a number.
  public var identifier: String

  public init(kind: String, identifier: String) {
    self.kind = kind
    self.identifier = identifier
  }
}

extension LinkedAccount {
  /// Accounts as one text: each a kind, a tab, an identifier and a newline. Those that hold a tab or a
  /// newline themselves, or would exceed `limit` bytes of UTF-8, are left out.
  public static func text(_ accounts: [LinkedAccount], limit: Int = .max) -> String {
    accounts.reduce(into: "") { text, account in
      let parts = [account.kind, account.identifier]
      guard !parts.contains(where: { $0.unicodeScalars.contains { $0 == "\t" || $0 == "\n" } }) else {
        return
      }
      let line = parts.joined(separator: "\t") + "\n"
      if text.utf8.count + line.utf8.count <= limit { text += line }
    }
  }

  /// The accounts in such a text; nil if it is none.
  public static func accounts(in text: String) -> [LinkedAccount]? {
    let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.last?.isEmpty == true else { return nil }
    let accounts = lines.dropLast().compactMap { line -> LinkedAccount? in
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
      guard parts.count == 2 else { return nil }
      return LinkedAccount(kind: String(parts[0]), identifier: String(parts[1]))
    }
    return accounts.count == lines.count - 1 ? accounts : nil
  }
}
