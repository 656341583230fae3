import AuthModel
import Glibc
import Nightlatch
import Scheduling

// What a read of the auth state costs in process.
//
// usage: auth-benchmark RUNTIME PROVIDER [READS]
//
// Prints the state, and for each of seven rounds the nanoseconds of processor time, so that other processes don't
// count, that a read and a look at the boot clock took; strace shows that none of them is a system call.

guard CommandLine.arguments.count >= 3 else {
  print("usage: auth-benchmark RUNTIME PROVIDER [READS]")
  exit(64)
}
try measure(CommandLine.arguments)

/// Everything in local variables: looking at a global one would be measured as well.
func measure(_ arguments: [String]) throws {
  let reads = arguments.count > 3 ? Int(arguments[3]) ?? 1_000_000 : 1_000_000
  let client = try NightlatchClient(provider: arguments[2], runtimeFolder: RuntimeFolder(path: arguments[1]))
  print(client.authStateWithoutRefresh().name)
  var authenticated = 0
  var sum: Int64 = 0
  for _ in 0..<7 {
    let start = processorTime()
    for _ in 0..<reads {
      if case .authenticated = client.authStateWithoutRefresh() { authenticated += 1 }
    }
    let middle = processorTime()
    // What a read can't do without: a look at the clock.
    for _ in 0..<reads { sum &+= Instant.current().microseconds }
    let end = processorTime()
    print((middle - start) / Double(reads), (end - middle) / Double(reads))
  }
  // Used, so that no optimizer takes the reads away.
  print(authenticated == 7 * reads && sum != 0 ? "all authenticated" : "\(authenticated) authenticated")
}

/// In nanoseconds.
func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}
