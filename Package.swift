// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target is compiled with the same, strictest settings.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

/// The daemon is one main queue: its shell targets live on the main actor.
let mainQueue: [SwiftSetting] = strict + [.defaultIsolation(MainActor.self)]

let package = Package(
  name: "Nightlatch",
  products: [
    .executable(name: "nightlatchd", targets: ["nightlatchd"]),
    .executable(name: "nightlatch", targets: ["nightlatch"]),
    .executable(name: "nightlatch-foreground", targets: ["nightlatch-foreground"]),
    .library(name: "Nightlatch", targets: ["Nightlatch"]),
  ],
  targets: [
    // C libraries from the distribution.
    .systemLibrary(
      name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    .systemLibrary(name: "CJOSE", pkgConfig: "cjose", providers: [.apt(["libcjose-dev"])]),
    .systemLibrary(
      name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
    .target(name: "CLinux"),
    .target(name: "CTOML"),

    // Pure: no clock, no file, no environment, no randomness.
    .target(name: "Scheduling", swiftSettings: strict),
    .target(name: "AuthModel", dependencies: ["Scheduling"], swiftSettings: strict),
    .target(name: "JobEngine", dependencies: ["Scheduling", "AuthModel"], swiftSettings: strict),
    .target(
      name: "Configuration", dependencies: ["CTOML", "Scheduling", "AuthModel", "JobEngine"],
      swiftSettings: strict),
    .target(
      name: "ControlProtocol", dependencies: ["Scheduling", "AuthModel", "JobEngine"],
      exclude: ["org.nightlatch.Control.varlink"], swiftSettings: strict),

    // Shell: the outside world, one concern each.
    .target(
      name: "LinuxPlatform", dependencies: ["Scheduling", "CSystemd", "CLinux"],
      swiftSettings: mainQueue),
    .target(
      name: "JobStore", dependencies: ["Scheduling", "AuthModel", "JobEngine", "CSQLite"],
      swiftSettings: mainQueue),
    .target(
      name: "AuthCache", dependencies: ["Scheduling", "AuthModel", "CLinux"], swiftSettings: strict),
    .target(
      name: "SessionAgent",
      dependencies: [
        "Scheduling", "AuthModel", "AuthCache", "CCurl", "CJOSE", "CSodium", "CQREncode", "CLinux",
      ],
      swiftSettings: strict),
    .target(
      name: "NightlatchDaemon",
      dependencies: [
        "Scheduling", "AuthModel", "JobEngine", "Configuration", "ControlProtocol", "LinuxPlatform",
        "JobStore", "AuthCache",
      ],
      swiftSettings: mainQueue),
    .target(
      name: "Nightlatch",
      dependencies: ["Scheduling", "AuthModel", "AuthCache", "ControlProtocol", "CLinux"],
      swiftSettings: strict),
    .target(
      name: "ControlTool",
      dependencies: [
        "Scheduling", "AuthModel", "AuthCache", "JobEngine", "Configuration", "ControlProtocol",
        "LinuxPlatform",
      ],
      swiftSettings: mainQueue),

    .executableTarget(
      name: "nightlatchd", dependencies: ["NightlatchDaemon"], swiftSettings: mainQueue),
    .executableTarget(name: "nightlatch", dependencies: ["ControlTool"], swiftSettings: mainQueue),
    .executableTarget(
      name: "nightlatch-foreground",
      dependencies: [
        "Scheduling", "AuthModel", "Configuration", "SessionAgent", "LinuxPlatform", "AuthCache",
      ],
      swiftSettings: mainQueue),

    // Fast suites: seconds, no root, no network beyond loopback.
    .testTarget(
      name: "SchedulingTests", dependencies: ["SeededRandom", "Scheduling"], swiftSettings: strict),
    .testTarget(
      name: "AuthModelTests", dependencies: ["SeededRandom", "AuthModel", "Scheduling"], swiftSettings: strict
    ),
    .testTarget(
      name: "JobEngineTests", dependencies: ["SeededRandom", "JobEngine", "AuthModel", "Scheduling"],
      swiftSettings: strict),
    .testTarget(
      name: "ConfigurationTests",
      dependencies: ["SeededRandom", "Configuration", "JobEngine", "AuthModel", "Scheduling"],
      swiftSettings: strict),
    .testTarget(
      name: "ControlProtocolTests",
      dependencies: ["SeededRandom", "ControlProtocol", "JobEngine", "AuthModel", "Scheduling"],
      swiftSettings: strict),
    .testTarget(
      name: "ControlToolTests",
      dependencies: [
        "ControlTool", "ControlProtocol", "JobEngine", "AuthModel", "AuthCache", "LinuxPlatform",
        "Scheduling", "Configuration", "SessionAgent",
      ],
      exclude: ["Golden"], swiftSettings: mainQueue),
    .testTarget(
      name: "LinuxPlatformTests", dependencies: ["LinuxPlatform", "Scheduling", "CLinux", "CSystemd"],
      swiftSettings: mainQueue),
    .testTarget(
      name: "JobStoreTests",
      dependencies: [
        "SeededRandom",
        "JobStore", "JobEngine", "AuthModel", "Scheduling", "CSQLite", "CFaultyStorage", "JobStoreKillHelper",
      ],
      swiftSettings: mainQueue),
    .target(name: "SeededRandom", path: "Tests/SeededRandom", swiftSettings: strict),
    // What the ledger's tests need: a file layer that fails, and a process that dies at a write.
    .target(name: "CFaultyStorage", dependencies: ["CSQLite"], path: "Tests/CFaultyStorage"),
    .executableTarget(
      name: "JobStoreKillHelper",
      dependencies: ["JobStore", "JobEngine", "AuthModel", "Scheduling", "CFaultyStorage"],
      path: "Tests/JobStoreKillHelper", swiftSettings: mainQueue),
    .testTarget(
      name: "AuthCacheTests", dependencies: ["AuthCache", "AuthModel", "Scheduling", "Nightlatch", "CLinux"],
      swiftSettings: strict),
    .testTarget(
      name: "SessionAgentTests",
      dependencies: [
        "SessionAgent", "AuthCache", "AuthModel", "Scheduling", "CLinux", "nightlatch-foreground",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "NightlatchDaemonTests",
      dependencies: [
        "NightlatchDaemon", "JobEngine", "JobStore", "LinuxPlatform", "AuthCache", "AuthModel", "Scheduling",
        "Configuration", "ControlProtocol",
      ], swiftSettings: mainQueue),
    // What `make benchmark` and `make benchmark-auth` time; not installed.
    .executableTarget(
      name: "schedule-benchmark", dependencies: ["Scheduling"], path: "Tests/Benchmarks/ScheduleBenchmark",
      swiftSettings: strict),
    .executableTarget(
      name: "auth-benchmark", dependencies: ["Nightlatch", "AuthModel", "Scheduling"],
      path: "Tests/Benchmarks/AuthBenchmark", swiftSettings: strict),
    // The harnesses that `scripts/fuzz` builds for libFuzzer; here their corpora are replayed.
    .testTarget(
      name: "FuzzTests",
      dependencies: [
        "Scheduling", "AuthModel", "JobEngine", "Configuration", "ControlProtocol", "LinuxPlatform",
        "AuthCache",
        "SessionAgent",
      ],
      path: "Tests/Fuzz", exclude: ["Corpus", "Driver"], swiftSettings: strict),
    .testTarget(
      name: "ProjectTests", dependencies: [], exclude: ["test_scripts.py"], swiftSettings: strict),
  ],
  cxxLanguageStandard: .cxx17
)
