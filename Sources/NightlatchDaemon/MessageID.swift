/// The kinds of entries in the journal. The same numbers as in `nightlatch.catalog`; they never change.
enum MessageID: String, CaseIterable {
  case runSucceeded = "7d1d9355e3504ea6ab0b8e6718dec912"
}
