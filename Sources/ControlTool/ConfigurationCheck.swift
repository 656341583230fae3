import AuthModel
import Configuration
import ControlProtocol
import JobEngine
import LinuxPlatform
import Scheduling

/// Configuration files as the daemon would read them, and what is wrong with them.
struct ConfigurationCheck {
  private(set) var diagnostics: [Configuration.Diagnostic]
  /// How many of each are good.
  private(set) var jobs: Int
  private(set) var providers: Int
  private let definitions: [JobDefinition]

  /// Everything that the daemon would load.
  init(folders: Folders, lookout: Lookout?) {
    self.init(
      settings: Self.settings(in: folders), jobs: Self.files(in: folders.jobs),
      providers: Self.files(in: folders.providers), lookout)
  }

  /// Some files. A job among them may refer to a provider that is already configured.
  init(files paths: [String], folders: Folders, lookout: Lookout?) {
    let files = paths.map { SourceFile(reading: $0) }
    let providers = files.filter { $0.path.split(separator: "/").dropLast().last == "providers.d" }
    let settings = files.first { $0.path.split(separator: "/").last == "nightlatch.toml" }
    let jobs = files.filter { file in file != settings && !providers.contains(file) }
    let configured = Self.files(in: folders.providers).filter { known in
      !providers.contains { $0.identifier == known.identifier }
    }
    self.init(settings: settings, jobs: jobs, providers: providers + configured, lookout)
    let asked = Set(paths)
    diagnostics.removeAll { !asked.contains($0.path) }
    self.providers = self.good.filter { asked.contains($0) }.count
  }

  private var good: [String] = []

  private init(
    settings: SourceFile?, jobs: [SourceFile], providers: [SourceFile], _ lookout: Lookout?
  ) {
    let database = ZoneDatabase()
    let zones = ZoneSource(
      local: LocalZone.rules(environment: [:]), find: { LocalZone.rules(named: $0, in: database) },
      names: { database.names })
    let loaded = LoadedConfiguration(
      settings: settings, jobs: jobs, providers: providers, zones: zones, lookout: lookout)
    diagnostics = loaded.diagnostics
    self.jobs = loaded.jobs.count
    definitions = loaded.jobs.keys.sorted().compactMap { loaded.jobs[$0] }
    self.providers = loaded.providers.count
    good = loaded.providers.keys.compactMap { loaded.providerPaths[$0] }
  }

  /// What the good jobs' schedules meet from `base` on.
  func notes(after base: WallTime) -> [ScheduleNote] {
    definitions.flatMap { ScheduleNote.next(of: $0, after: base) }
  }

  func count(of severity: Configuration.Diagnostic.Severity) -> Int {
    diagnostics.count { $0.severity == severity }
  }

  private static func settings(in folders: Folders) -> SourceFile? {
    do {
      return try SourceFiles.first(of: folders.settingsFiles).map {
        SourceFile(path: $0.path, bytes: $0.text)
      }
    } catch {
      return SourceFile(path: folders.settingsFiles.first ?? "", unreadable: error.description)
    }
  }

  private static func files(in folders: [String]) -> [SourceFile] {
    let (sources, failures) = SourceFiles.load(folders: folders)
    return sources.map { SourceFile(path: $0.path, bytes: $0.text) }
      + failures.map { failure in
        failure.isFolder
          ? SourceFile(folder: failure.path, unlisted: failure.message, among: folders)
          : SourceFile(path: failure.path, unreadable: failure.message)
      }
  }
}

extension SourceFile {
  fileprivate init(reading path: String) {
    do {
      self.init(path: path, bytes: try SourceFiles.bytes(of: path, limit: SourceFiles.limit))
    } catch {
      self.init(path: path, unreadable: error.description)
    }
  }
}

extension ControlProtocol.Diagnostic {
  init(_ diagnostic: Configuration.Diagnostic) {
    self.init(
      path: diagnostic.path, line: diagnostic.position?.line ?? 0, column: diagnostic.position?.column ?? 0,
      severity: Severity(diagnostic.severity), message: diagnostic.message)
  }
}

extension ControlProtocol.Diagnostic.Severity {
  fileprivate init(_ severity: Configuration.Diagnostic.Severity) {
    self =
      switch severity {
      case .error: .error
      case .warning: .warning
      case .note: .note
      }
  }
}
