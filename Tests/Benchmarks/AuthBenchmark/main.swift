import AuthModel
import Nightlatch
import Scheduling

// What a read of the auth state costs in process.
//
// usage: auth-benchmark RUNTIME PROVIDER [READS]
//
// Prints the state, and for each of seven rounds the nanoseconds a read took; strace shows that none of them is a
// system call.

let arguments = CommandLine.arguments
guard arguments.count >= 3 else { fatalError("usage: auth-benchmark RUNTIME PROVIDER [READS]") }
let reads = arguments.count > 3 ? Int(arguments[3]) ?? 1_000_000 : 1_000_000
let client = try NightlatchClient(provider: arguments[2], runtimeFolder: RuntimeFolder(path: arguments[1]))
print(client.authStateWithoutRefresh().name)

var authenticated = 0
for _ in 0..<7 {
  let start = ContinuousClock.now
  for _ in 0..<reads {
    if case .authenticated = client.authStateWithoutRefresh() { authenticated += 1 }
  }
  let took = (ContinuousClock.now - start).components
  let nanoseconds = Double(took.seconds) * 1e9 + Double(took.attoseconds) / 1e9
  print(nanoseconds / Double(reads))
}
// Used, so that no optimizer takes the reads away.
print(authenticated == 7 * reads ? "all authenticated" : "\(authenticated) authenticated")
