import CLinux
import Glibc
import Testing

@testable import LinuxPlatform

@Suite(.timeLimit(.minutes(1)))
struct WatchTests {
  @Test func `a folder's changes are named`() async throws {
    let folder = try TemporaryFolder()
    let changes = Events<DirectoryWatch.Change>()
    let watch = try DirectoryWatch(folder: folder.path) { changes.post($0) }
    let path = try folder.file("a.toml", "x")
    await sees("a.toml", changes)
    rename(path, "\(folder.path)/b.toml")
    await sees("b.toml", changes)
    utimes("\(folder.path)/b.toml", nil)
    await sees("b.toml", changes)
    unlink("\(folder.path)/b.toml")
    await sees("b.toml", changes)
    watch.cancel()
  }

  @Test func `a folder that is missing is noticed when it comes, goes, and comes again`() async throws {
    let folder = try TemporaryFolder()
    let (path, changes) = ("\(folder.path)/x/jobs.d", Events<DirectoryWatch.Change>())
    let watch = try DirectoryWatch(folder: path) { changes.post($0) }
    #expect(!watch.isFolderThere)
    for _ in 0..<2 {
      mkdir("\(folder.path)/x", 0o755)
      mkdir(path, 0o755)
      while !watch.isFolderThere { _ = await changes.first { $0 == .everything } }
      let file = try folder.file("x/jobs.d/a.toml")
      await sees("a.toml", changes)
      unlink(file)
      rmdir(path)
      rmdir("\(folder.path)/x")
      while watch.isFolderThere { _ = await changes.first { $0 == .everything } }
    }
    watch.cancel()
  }

  private func sees(_ name: String, _ changes: Events<DirectoryWatch.Change>) async {
    _ = await changes.first { change in
      if case .names(let names) = change { names.contains(name) } else { false }
    }
  }

  @Test func `the kernel's routes can be read`() async throws {
    let watch = try NetworkWatch { _ in }
    #expect(try RouteTable.hasDefaultRoute() == watch.hasDefaultRoute)
    watch.cancel()
  }

  /// In a network namespace of its own, with a dummy interface.
  @Test(.enabled(if: geteuid() == 0 && (access("/sbin/ip", X_OK) == 0 || access("/usr/bin/ip", X_OK) == 0)))
  func `a default route that comes and goes is noticed`() async {
    await #expect(processExitsWith: .success) { @MainActor in
      // Containers may have taken the right to do so from root.
      let namespace = nl_unshare_network()
      guard namespace >= 0 else { return }
      // The namespace is one thread's, and the main queue is not bound to one.
      let run = { (commands: String) in
        nl_enter_network(namespace)
        return try await JobZoo.run("set -e; PATH=$PATH:/sbin; " + commands).exit
      }
      let changes = Events<Bool>()
      let watch = try NetworkWatch(
        looking: { () throws(PlatformError) in
          nl_enter_network(namespace)
          return try RouteTable.hasDefaultRoute()
        }, onChange: { changes.post($0) })
      #expect(!watch.hasDefaultRoute)
      // Kernels built without this kind of interface can't run the rest.
      guard try await run("ip link add name nl0 type veth peer name nl1") == .exited(code: 0) else { return }
      // A default route over the loopback does not count, nor one in another table.
      let useless = "ip link set lo up; ip route add default dev lo; ip route add default dev lo table 99"
      #expect(try await run(useless) == .exited(code: 0))
      let up =
        "ip route del default; ip link set nl1 up; ip link set nl0 up; ip address add 192.0.2.1/24 dev nl0"
      #expect(try await run(up) == .exited(code: 0))
      #expect(changes.all.isEmpty)
      #expect(try await run("ip route add default via 192.0.2.2") == .exited(code: 0))
      #expect(await changes.next())
      #expect(watch.hasDefaultRoute)
      #expect(try await run("ip link set nl0 down") == .exited(code: 0))
      #expect(await !changes.next())
      watch.cancel()
    }
  }

  @Test(arguments: [
    [UInt8](), [1, 2, 3], [UInt8](repeating: 0, count: 64), [UInt8](repeating: 255, count: 64),
    [28, 0, 0, 0, 24, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0],
  ])
  func `broken netlink messages are no routes`(bytes: [UInt8]) {
    bytes.withUnsafeBytes { #expect(RouteTable.scan($0) != .found) }
  }

  @Test func `random netlink messages are read without a trap`() {
    for _ in 0..<10_000 {
      var bytes = (0..<Int.random(in: 0...80)).map { _ in UInt8.random(in: 0...255) }
      // Often enough a route of a plausible length.
      if bytes.count > 28, Bool.random() {
        (bytes[0], bytes[1], bytes[2], bytes[3]) = (UInt8(bytes.count), 0, 0, 0)
        (bytes[4], bytes[5], bytes[17], bytes[23]) = (24, 0, 0, 1)
      }
      bytes.withUnsafeBytes { _ = RouteTable.scan($0) }
    }
  }

  @Test(
    arguments: [
      ([], true, nil),
      (
        [["type": "Mains", "online": "1"], ["type": "Battery", "status": "Charging", "capacity": "80"]], true,
        80
      ),
      (
        [["type": "Mains", "online": "0"], ["type": "Battery", "status": "Discharging", "capacity": "79"]],
        false, 79
      ),
      (
        [["type": "USB", "online": "1"], ["type": "Battery", "status": "Discharging", "capacity": "5"]], true,
        5
      ),
      ([["type": "Battery", "status": "Discharging", "capacity": "50"]], false, 50),
      ([["type": "Battery", "status": "Full", "capacity": "100"]], true, 100),
      ([["type": "Battery", "scope": "Device", "status": "Discharging", "capacity": "3"]], true, nil),
      ([["type": "Battery", "present": "0", "status": "Unknown", "capacity": "0"]], true, nil),
      ([["type": "Battery", "status": "Discharging", "capacity": "999"], ["type": "nonsense"]], false, 100),
      ([["online": "1"], ["type": ""]], true, nil),
    ] as [([[String: String]], Bool, Int?)])
  func `the power supply is read as the kernel tells it`(
    supplies: [[String: String]], isExternal: Bool, percent: Int?
  ) throws {
    let folder = try TemporaryFolder()
    for (index, supply) in supplies.enumerated() {
      _ = try folder.folder("s\(index)")
      for (name, value) in supply { _ = try folder.file("s\(index)/\(name)", "\(value)\n") }
    }
    let state = PowerState.read(from: folder.path)
    #expect(state == PowerState(isExternal: isExternal, batteryPercent: percent))
  }

  @Test func `a machine without a power supply folder is on external power`() throws {
    let watch = try PowerWatch(folder: "/no/such/folder") { _ in }
    #expect(watch.state == PowerState(isExternal: true, batteryPercent: nil))
    watch.cancel()
  }

  @Test func `only a change of power is told`() throws {
    let folder = try TemporaryFolder()
    _ = try folder.folder("AC")
    _ = try folder.file("AC/type", "Mains\n")
    _ = try folder.file("AC/online", "1\n")
    let (changes, battery) = (Events<PowerState>(), try folder.folder("BAT"))
    for (name, value) in ["type": "Battery", "status": "Discharging", "capacity": "60"] {
      _ = try folder.file("BAT/\(name)", value)
    }
    #expect((try? FileStatus(of: battery))?.isFolder == true)
    let watch = try PowerWatch(folder: folder.path) { changes.post($0) }
    watch.refresh()
    #expect(changes.all.isEmpty)
    _ = try folder.file("AC/online", "0\n")
    watch.refresh()
    #expect(changes.all == [PowerState(isExternal: false, batteryPercent: 60)])
    watch.cancel()
  }

  @Test func `the kernel's announcements of power are told from others`() {
    let about = { (text: String) in PowerWatch.isAboutPower(Array(text.utf8)[...]) }
    #expect(about("change@/devices/x\0ACTION=change\0SUBSYSTEM=power_supply\0SEQNUM=1\0"))
    #expect(!about("add@/devices/x\0ACTION=add\0SUBSYSTEM=net\0"))
    #expect(!about(""))
  }

  @Test func `without a bus a unit can't be started, and the answer comes later`() async {
    await #expect(processExitsWith: .success) { @MainActor in
      setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/no/such/socket", 1)
      let bus = Bus(.system)
      let answers = Events<Bus.Answer>()
      bus.startUnit("x.service") { answers.post($0) }
      #expect(answers.all.isEmpty)
      #expect(await answers.next() == .failure(.noBus(why: PlatformError.words(for: ENOENT))))
    }
  }
}
