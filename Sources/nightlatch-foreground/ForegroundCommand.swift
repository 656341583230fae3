import AuthModel

/// A command line, without the options that name folders.
struct ForegroundCommand {
  enum Verb: String, CaseIterable { case publish, refresh, login, logout, doctor }

  /// The options of `login`.
  enum Method: String, CaseIterable {
    case device = "--device"
    case browser = "--browser"
    case `import` = "--import"
  }

  var verb = Verb.publish
  var providers: [ProviderName] = []
  /// For `refresh`: the access token that is not good enough any more.
  var generation: UInt64?
  /// For `login`: the way in, if the person has chosen one.
  var method: Method?
  var isHelp = false

  init(_ arguments: [String]) throws(UsageError) {
    var words: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--help", "-h": isHelp = true
      case "--newer-than":
        guard let generation = rest.popFirst().flatMap({ UInt64($0) }) else {
          throw UsageError("--newer-than needs a number, the generation of an access token")
        }
        self.generation = generation
      case _ where Method(rawValue: argument) != nil:
        guard method == nil else {
          throw UsageError("only one of --device, --browser and --import can be used")
        }
        method = Method(rawValue: argument)
      case "--":
        words += rest
        rest = []
      case _ where argument.hasPrefix("-"): throw UsageError("there is no option \(argument)")
      default: words.append(argument)
      }
    }
    if isHelp { return }
    guard let first = words.first else {
      throw UsageError("a verb is missing: publish, refresh, login, logout or doctor")
    }
    guard let verb = Verb(rawValue: first) else {
      throw UsageError("there is no verb \"\(first)\": there are publish, refresh, login, logout and doctor")
    }
    self.verb = verb
    providers = words.dropFirst().map { ProviderName($0) }
    guard verb == .publish || verb == .doctor || !providers.isEmpty else {
      throw UsageError("\(first) needs the name of a provider")
    }
    guard verb == .refresh || generation == nil else { throw UsageError("--newer-than belongs to refresh") }
    if let method, verb != .login { throw UsageError("\(method.rawValue) belongs to login") }
    guard verb != .login || providers.count == 1 else {
      throw UsageError("login takes one provider at a time")
    }
  }
}

struct UsageError: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}
