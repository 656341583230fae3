/// What `org.varlink.service.GetInfo` answers.
public struct ServiceInfo: Codable, Hashable, Sendable {
  public var vendor: String
  public var product: String
  public var version: String
  public var url: String
  public var interfaces: [String]

  /// The version of all of Nightlatch's programs.
  public static let currentVersion = "0.1.0"

  public init(version: String = ServiceInfo.currentVersion) {
    vendor = "Nightlatch"
    product = "nightlatchd"
    self.version = version
    url = ""
    interfaces = InterfaceDescription.names
  }

  /// Answers the two methods of `org.varlink.service`; nil for any other call.
  public func reply(to call: ControlCall) -> ControlReply? {
    switch call {
    case .getInfo: .info(self)
    case .getInterfaceDescription(let interface):
      InterfaceDescription.text(of: interface).map { .interfaceDescription($0) }
        ?? .failure(.interfaceNotFound(interface))
    default: nil
    }
  }
}
