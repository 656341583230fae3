// The child of the crash tests. Arguments: FILE TURNS OPERATION.
//
// Commits TURNS turns and prints a line for each when the ledger has acknowledged it: how many of its two
// dues were new. Kills itself at the given operation on a file (0: never).
import AuthModel
import CFaultyStorage
import Glibc
import JobEngine
import JobStore
import Scheduling

func turn(_ number: Int64) -> [StoreWrite] {
  let job = JobID("test.crash")
  let now = Now(boot: Instant(microseconds: number), wall: WallTime(seconds: number))
  func record(due: Int64, _ state: RunState) -> RunRecord {
    var record = RunRecord(
      job: job, due: .calendar(WallTime(seconds: due)), dueAt: WallTime(seconds: due), state: state,
      created: Moment(bootID: BootID("0123456789abcdef0123456789abcdef"), now: now))
    record.provider = ProviderName("work")
    record.deferredUntil = WallTime(seconds: 1_000_000)
    return record
  }
  var begun = record(due: 2 * number, .starting)
  begun.attempt = 1
  var ended = record(due: 2 * number - 2, .succeeded)
  ended.attempt = 1
  ended.attemptOutcome = .succeeded
  var writes: [StoreWrite] = [.stamp(begun), .stamp(record(due: 2 * number + 1, .deferred))]
  if number > 0 { writes.append(.update(ended)) }
  writes.append(.saveProgress(job, JobProgress(calendarThrough: WallTime(seconds: 2 * number + 1))))
  return writes
}

func say(_ line: String) {
  let bytes = Array("\(line)\n".utf8)
  guard write(STDOUT_FILENO, bytes, bytes.count) == bytes.count else { exit(74) }
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let turns = Int64(arguments[2]), let operation = Int32(arguments[3]) else {
  exit(64)
}
guard nl_faulty_register(1) == 0 else { exit(70) }
nl_faulty_arm(operation > 0 ? NL_FAULT_KILL : NL_FAULT_NONE, operation)
do throws(StoreError) {
  let ledger = try Ledger(path: arguments[1])
  for number in 0..<turns {
    let answers = try ledger.commit(turn(number))
    let new = answers.filter { if case .stamped(_, isNew: true) = $0 { true } else { false } }
    say("\(new.count)")
  }
} catch {
  say("\(error)")
  exit(1)
}
