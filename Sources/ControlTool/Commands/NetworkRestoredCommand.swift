import ControlProtocol

/// `nightlatch network-restored`
enum NetworkRestoredCommand {
  nonisolated static let command = Command(
    name: "network-restored", group: .session, summary: "Tell the daemon that the network is back",
    discussion: [
      "The daemon watches the network by itself; this is for what it can't see, such as a VPN that has come up. It resets the backoff and may start foreground phases."
    ],
    action: run)

  static func run(_ invocation: Invocation, _ world: Surroundings) throws(ToolError) -> ExitCode {
    _ = try world.daemon().ask(.networkRestored, for: EmptyReply.self)
    return .success
  }
}
