extension Ledger {
  /// Reads the whole file and lists what is wrong with it, at most 100 findings; empty when it is sound.
  public func checkIntegrity() throws(StoreError) -> [String] {
    try perform(.check) { () throws(StoreError.Cause) in
      let damage = try problems(check: "PRAGMA integrity_check(100)")
      let orphans = try database.all("PRAGMA foreign_key_check") { row throws(StoreError.Cause) in
        "a row of \(try row.text()) refers to a row that is not there"
      }
      return Array((damage + orphans).prefix(100))
    }
  }

  func problems(check: String) throws(StoreError.Cause) -> [String] {
    try database.all(check) { row throws(StoreError.Cause) in try row.text() }.filter { $0 != "ok" }
  }
}
