import AuthModel
import JobEngine
import Scheduling

extension ControlCall {
  /// The call as a frame without its NUL, for the client's side.
  public var frame: [UInt8] { Frame.encode(self) }

  /// The method's full name.
  public var method: String {
    switch self {
    case .status: "org.nightlatch.Control.Status"
    case .listJobs: "org.nightlatch.Control.ListJobs"
    case .listQueue: "org.nightlatch.Control.ListQueue"
    case .listRuns: "org.nightlatch.Control.ListRuns"
    case .getRun: "org.nightlatch.Control.GetRun"
    case .why: "org.nightlatch.Control.Why"
    case .runJob: "org.nightlatch.Control.RunJob"
    case .cancel: "org.nightlatch.Control.Cancel"
    case .pause: "org.nightlatch.Control.Pause"
    case .resume: "org.nightlatch.Control.Resume"
    case .foreground: "org.nightlatch.Control.Foreground"
    case .listAuth: "org.nightlatch.Control.ListAuth"
    case .getToken: "org.nightlatch.Control.GetToken"
    case .reload: "org.nightlatch.Control.Reload"
    case .networkRestored: "org.nightlatch.Control.NetworkRestored"
    case .getInfo: "org.varlink.service.GetInfo"
    case .getInterfaceDescription: "org.varlink.service.GetInterfaceDescription"
    }
  }
}

extension ControlCall: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var call = encoder.container(keyedBy: WireName.self)
    try call.encode(method, forKey: WireName("method"))
    var parameters = call.nestedContainer(keyedBy: WireName.self, forKey: WireName("parameters"))
    for (name, value) in self.parameters {
      switch value {
      case .text(let text): try parameters.encode(text, forKey: WireName(name))
      case .number(let number): try parameters.encode(number, forKey: WireName(name))
      case .flag(let flag): try parameters.encode(flag, forKey: WireName(name))
      case nil: break
      }
    }
  }

  private enum Value {
    case text(String)
    case number(Int64)
    case flag(Bool)

    init?(_ value: (some CustomStringConvertible)?) {
      guard let value else { return nil }
      self = .text(value.description)
    }

    init?(_ limit: Int?) {
      guard let limit else { return nil }
      self = .number(Int64(limit))
    }
  }

  private var parameters: [(String, Value?)] {
    switch self {
    case .status, .reload, .networkRestored, .getInfo: []
    case .listJobs(let job): [("job", Value(job))]
    case .listQueue(let job, let provider, let limit):
      [("job", Value(job)), ("provider", Value(provider)), ("limit", Value(limit))]
    case .listRuns(let job, let state, let limit):
      [("job", Value(job)), ("state", Value(state?.rawValue)), ("limit", Value(limit))]
    case .getRun(let run), .why(.run(let run)), .cancel(.run(let run)): [("run", Value(run))]
    case .why(.due(let job, let due)): [("job", Value(job)), ("due", Value(due.rfc3339))]
    case .why(.newest(let job)), .cancel(.job(let job)), .pause(let job), .resume(let job):
      [("job", Value(job))]
    case .runJob(let job, let wait): [("job", Value(job)), ("wait", .flag(wait))]
    case .foreground(let provider, let wait): [("provider", Value(provider)), ("wait", .flag(wait))]
    case .listAuth(let provider): [("provider", Value(provider))]
    case .getToken(let provider, let minimum, let wait):
      [
        ("provider", Value(provider)), ("min_valid_usec", minimum.map { .number($0.wholeMicroseconds) }),
        ("wait_usec", wait.map { .number($0.wholeMicroseconds) }),
      ]
    case .getInterfaceDescription(let interface): [("interface", Value(interface))]
    }
  }
}
