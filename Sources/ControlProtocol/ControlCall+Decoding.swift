import AuthModel
import JobEngine
import Scheduling

extension ControlCall {
  /// Reads a method's parameters.
  init(method: String, parameters: KeyedDecodingContainer<WireName>?) throws(ProtocolError) {
    var reader = ParameterReader(parameters)
    let call = try Self.read(method: method, &reader)
    try reader.refuseUnknown()
    self = call
  }

  private static func read(
    method: String, _ reader: inout ParameterReader
  ) throws(ProtocolError) -> ControlCall {
    switch method {
    case "org.nightlatch.Control.Status": .status
    case "org.nightlatch.Control.ListJobs": .listJobs(try reader.optionalJob())
    case "org.nightlatch.Control.ListQueue":
      .listQueue(
        job: try reader.optionalJob(), provider: try reader.optionalProvider(), limit: try reader.limit())
    case "org.nightlatch.Control.ListRuns":
      .listRuns(job: try reader.optionalJob(), state: try reader.state(), limit: try reader.limit())
    case "org.nightlatch.Control.GetRun": .getRun(try run(&reader))
    case "org.nightlatch.Control.Why": .why(try RunSelection(&reader))
    case "org.nightlatch.Control.RunJob": .runJob(try reader.job(), wait: try reader.wait())
    case "org.nightlatch.Control.Cancel": .cancel(try CancelSelection(&reader))
    case "org.nightlatch.Control.Pause": .pause(try reader.job())
    case "org.nightlatch.Control.Resume": .resume(try reader.job())
    case "org.nightlatch.Control.Foreground":
      .foreground(try reader.optionalProvider(), wait: try reader.wait())
    case "org.nightlatch.Control.ListAuth": .listAuth(try reader.optionalProvider())
    case "org.nightlatch.Control.GetToken":
      .getToken(
        try reader.provider(), minValid: try reader.span("min_valid_usec"), wait: try reader.span("wait_usec")
      )
    case "org.nightlatch.Control.Reload": .reload
    case "org.nightlatch.Control.NetworkRestored": .networkRestored
    case "org.varlink.service.GetInfo": .getInfo
    case "org.varlink.service.GetInterfaceDescription":
      .getInterfaceDescription(try reader.required("interface"))
    default: throw missing(method)
    }
  }

  private static func run(_ reader: inout ParameterReader) throws(ProtocolError) -> RunID {
    guard let run = try reader.optionalRun() else { throw .invalidParameter("run") }
    return run
  }

  /// What to say of a method that is not served: either its interface is not, or only the method.
  private static func missing(_ method: String) -> ProtocolError {
    guard let dot = method.lastIndex(of: ".") else { return .methodNotFound(method) }
    let interface = String(method[..<dot])
    return InterfaceDescription.names.contains(interface)
      ? .methodNotFound(method) : .interfaceNotFound(interface)
  }
}

extension ControlCall.RunSelection {
  fileprivate init(_ reader: inout ParameterReader) throws(ProtocolError) {
    let (run, job) = (try reader.optionalRun(), try reader.optionalJob())
    let due = try reader.optional("due", as: Timestamp.self)
    switch (run, job, due) {
    case (let run?, nil, nil): self = .run(run)
    case (nil, let job?, let due?): self = .due(job, due.wall)
    case (nil, let job?, nil): self = .newest(job)
    default: throw .invalidParameter(run == nil ? "job" : "run")
    }
  }
}

extension ControlCall.CancelSelection {
  fileprivate init(_ reader: inout ParameterReader) throws(ProtocolError) {
    switch (try reader.optionalRun(), try reader.optionalJob()) {
    case (let run?, nil): self = .run(run)
    case (nil, let job?): self = .job(job)
    case (nil, nil), (_?, _?): throw .invalidParameter("job")
    }
  }
}
