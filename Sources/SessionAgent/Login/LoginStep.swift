/// What a person who logs in is to be told. All texts are fit for a terminal.
public enum LoginStep: Hashable, Sendable {
  /// Open a page on any device and approve a code.
  case device(DevicePrompt)
  /// Open this page in a browser on this machine.
  case browser(url: String)
  /// Still waiting, for so long at most. Told at least once a second.
  case waiting(left: Duration, remark: String?)
}
