import AuthModel
import CLinux
import Glibc
import Scheduling

/// An external program that prints a token as JSON (`kind = "command"`).
struct CredentialCommand {
  let provider: ProviderName
  let command: [String]
  let timeLimit: Duration

  /// Runs it. A stop request does not cut it short: it may be spending a refresh token of its own.
  func supply(at started: WallTime) throws(AgentError) -> Supply {
    let run = try CommandProcess(command, environment: environment).finish(within: timeLimit)
    let answer = CommandAnswer(run.output, now: started).answer
    let exchange = Self.exchange(run, answer)
    let verdict = VerdictTable.command.verdict(on: exchange)
    let secrets = [answer?.accessToken].compactMap { $0 }
    let remarks = Redaction.lines(run.complaint, hiding: secrets)
    return Supply(
      verdict: verdict, answer: verdict.isSpent == .yes ? answer : nil,
      detail: "\(HTTPClient.printable(command.first ?? "")) \(Self.words(run, exchange))", remarks: remarks)
  }

  static func exchange(_ run: CommandProcess.Run, _ answer: TokenAnswer?) -> Exchange {
    switch run.ending {
    case .killed, .late, .unkillable: return .lost
    // More than an object of ours can be.
    case .loud: return .exited(status: 0, body: .brokenJSON)
    case .exited(let status):
      if let answer { return .exited(status: status, body: Exchange.body(of: answer)) }
      let isObject = JSONObject.parseAnswer(run.output) != nil
      let body = isObject ? Exchange.Body.neither : Exchange.unparsable(run.output, claimsJSON: false)
      return .exited(status: status, body: body)
    }
  }

  private static func words(_ run: CommandProcess.Run, _ exchange: Exchange) -> String {
    switch (run.ending, exchange) {
    case (.late, _): "took too long and was killed"
    case (.unkillable, _): "took too long, and can't be killed; it goes on by itself"
    case (.loud, _): "printed more than \(CommandProcess.outputLimit >> 20) MiB and was killed"
    case (.killed(let signal), _): "was killed by signal \(signal)"
    case (.exited(0), .exited(_, .token)): "gave a token"
    case (.exited(0), .exited(_, .expiredToken)): "gave a token that has expired already"
    case (.exited(0), .exited(_, .unusableTokenType)): "gave a token that is no bearer token"
    case (.exited(0), .exited(_, .empty)): "printed nothing"
    case (.exited(0), .exited(_, .neither)): "printed JSON without a usable access_token"
    case (.exited(0), _): "printed something that is not a JSON object"
    case (.exited(let status), _): "exited with status \(status)"
    }
  }

  /// Ours, without what belongs to our service alone.
  private var environment: [String] {
    let foreign = ["NOTIFY_SOCKET=", "WATCHDOG_", "LISTEN_", "CREDENTIALS_DIRECTORY=", "NIGHTLATCH_"]
    return Self.variables.filter { variable in !foreign.contains { variable.hasPrefix($0) } }
      + ["NIGHTLATCH_PROVIDER=\(provider)"]
  }

  private static var variables: [String] {
    guard var next = nl_environment() else { return [] }
    var variables: [String] = []
    while let variable = next.pointee {
      variables.append(String(cString: variable))
      next += 1
    }
    return variables
  }
}
