import CLinux
import Glibc

/// Tells when the machine is plugged in or unplugged, and how full its battery is. The kernel announces
/// it on its uevent socket; there is no polling.
public final class PowerWatch {
  public private(set) var state: PowerState

  private let folder: String
  private var source: FileSource?
  private let onChange: (PowerState) -> Void

  /// `onChange` is called only when ``state`` is another one. `folder` is another one only in tests.
  public init(
    folder: String = "/sys/class/power_supply", onChange: @escaping (PowerState) -> Void
  ) throws(PlatformError) {
    self.folder = folder
    self.onChange = onChange
    // Group 1 is the kernel's own; udev repeats everything on group 2.
    let fd = nl_netlink_open(NETLINK_KOBJECT_UEVENT, 1)
    guard fd >= 0 else { throw .last("watch the machine's power supply") }
    state = PowerState.read(from: folder)
    source = FileSource(owning: fd, onReadable: { [weak self] in self?.receive() })
  }

  public func cancel() {
    source?.cancel()
    source = nil
  }

  private func receive() {
    guard let source else { return }
    var buffer = [UInt8](repeating: 0, count: 16 * 1024)
    var isAboutPower = false
    for _ in 0..<64 {
      var sender: UInt32 = 0
      let count = nl_netlink_receive(source.fd, &buffer, buffer.count, &sender)
      if count < 0 && errno == ENOBUFS { isAboutPower = true }
      guard count > 0 else { break }
      isAboutPower = isAboutPower || (sender == 0 && Self.isAboutPower(buffer[..<count]))
    }
    if isAboutPower { refresh() }
  }

  /// A uevent is a list of zero-terminated `NAME=value`.
  static func isAboutPower(_ event: ArraySlice<UInt8>) -> Bool {
    event.split(separator: 0).contains { $0.elementsEqual("SUBSYSTEM=power_supply".utf8) }
  }

  func refresh() {
    let now = PowerState.read(from: folder)
    guard now != state else { return }
    state = now
    onChange(now)
  }
}
