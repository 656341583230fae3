import AuthModel
import Configuration
import JobEngine
import LinuxPlatform
import Scheduling

/// The configuration folders as they were last read.
struct ConfigurationFiles {
  let loaded: LoadedConfiguration
  let zones: Zones
  private let settingsFiles: [String]

  /// - Parameter database: for the first time; later the previous one is read again.
  init(
    folders: Folders, previous: ConfigurationFiles? = nil, database: ZoneDatabase = ZoneDatabase()
  ) {
    let files = Self.files
    settingsFiles = folders.settingsFiles
    let settings: SourceFile?
    do {
      settings = try SourceFiles.first(of: folders.settingsFiles).map {
        SourceFile(path: $0.path, bytes: $0.text)
      }
    } catch {
      settings = SourceFile(path: folders.settingsFiles.first ?? "", unreadable: error.description)
    }
    zones = previous?.zones.reopened() ?? Zones(database)
    let read = LoadedConfiguration(
      settings: settings, jobs: files(folders.jobs), providers: files(folders.providers), zones: zones.source)
    loaded = previous.map { read.keepingLastGood(of: $0.loaded) } ?? read
  }

  private static func files(_ folders: [String]) -> [SourceFile] {
    let (sources, failures) = SourceFiles.load(folders: folders)
    return sources.map { SourceFile(path: $0.path, bytes: $0.text) }
      + failures.map { failure in
        failure.isFolder
          ? SourceFile(folder: failure.path, unlisted: failure.message, among: folders)
          : SourceFile(path: failure.path, unreadable: failure.message)
      }
  }

  var definitions: Definitions {
    var definitions = Definitions()
    definitions.settings = loaded.settings ?? DaemonSettings()
    definitions.jobs = loaded.jobs
    definitions.providers = loaded.providers
    return definitions
  }

  /// How many job files are not good as they stand.
  var badJobs: [JobID: String] {
    let bad = Set(loaded.diagnostics.filter { $0.severity == .error }.map(\.path))
    return loaded.jobPaths.filter { bad.contains($0.value) }
  }

  /// The first thing that is wrong with a file.
  func problem(of path: String) -> String? {
    loaded.diagnostics.first { $0.path == path && $0.severity == .error }?.description
  }

  /// One journal entry for each zone that can't be read and for each diagnostic, saying what holds instead.
  var problems: [LogEntry] {
    zones.problems.sorted().map { LogEntry.zoneProblem($0) }
      + loaded.diagnostics.map { LogEntry(diagnostic: $0, isKept: isKept($0.path)) }
  }

  /// - Parameter path: of a file, or of a folder.
  private func isKept(_ path: String) -> Bool {
    if settingsFiles.contains(path) { return loaded.settings != nil }
    let used =
      loaded.jobs.keys.map { loaded.jobPaths[$0] } + loaded.providers.keys.map { loaded.providerPaths[$0] }
    return used.contains { $0 == path || $0?.hasPrefix(path + "/") == true }
  }
}
