import JobStore
import Testing

struct ErrorTests {
  @Test(arguments: [
    (
      StoreError.failed(.commit(3), path: "/s/ledger.db", .diskFull),
      """
      Cannot record 3 changes in the ledger /s/ledger.db: the disk is full; none of them was made and \
      everything before them is kept, to be tried again when there is space.
      """
    ),
    (
      .failed(.commit(1), path: "/s/ledger.db", .busy),
      """
      Cannot record a change in the ledger /s/ledger.db: another process is using it; the change was not \
      made and everything before it is kept, to be tried again when the other process is done.
      """
    ),
    (
      .failed(.open, path: "/s/ledger.db", .system("Permission denied")),
      """
      Cannot open the ledger /s/ledger.db: Permission denied; the file was left as it is, to be tried again \
      when that is repaired.
      """
    ),
    (
      .failed(.read("runs"), path: "/s/ledger.db", .damaged("page 7 is never used")),
      """
      Cannot read runs from the ledger /s/ledger.db: the file is damaged (page 7 is never used); nothing was \
      changed, to be tried again when the file has been repaired or replaced from a backup.
      """
    ),
    (
      .notLedger(path: "/s/ledger.db", reason: "it is not a database"),
      """
      Cannot use /s/ledger.db as the ledger: it is not a database; it was left as it is: move it away or \
      name another folder.
      """
    ),
    (
      .newerSchema(path: "/s/ledger.db", found: 9, supported: 1),
      """
      Cannot use the ledger /s/ledger.db: its schema is version 9 and this program knows versions up to 1; \
      it was left as it is: install the newer program again.
      """
    ),
  ])
  func `an error says what was attempted, why it failed, and what happens next`(
    error: StoreError, expected: String
  ) {
    #expect(error.description == expected)
  }
}
