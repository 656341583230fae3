public import AuthModel
public import JobEngine

/// Everything the configuration folders say: definitions that are good, and what is wrong with the rest.
public struct LoadedConfiguration: Sendable {
  /// The defaults when there is no file; nil when the file is bad.
  public var settings: DaemonSettings?
  public var jobs: [JobID: JobDefinition] = [:]
  public var providers: [ProviderName: ProviderDefinition] = [:]
  /// The path of each job's file, good or bad.
  public var jobPaths: [JobID: String] = [:]
  /// The path of each provider's file, good or bad.
  public var providerPaths: [ProviderName: String] = [:]
  /// Settings first, then providers, then jobs; in the order of the files given, and within a file from
  /// top to bottom.
  public var diagnostics: [Diagnostic] = []
  /// Folders that could not be listed, and for each those whose files hide its own: what was in it may still be
  /// there.
  private var unlisted: [String: [String]] = [:]

  /// Reads all files. A bad file never stops the others.
  ///
  /// - Parameters:
  ///   - settings: `nightlatch.toml`; nil when there is none.
  ///   - jobs: One job each. The caller has already let a file in `/etc` hide its namesake in `/usr/lib`;
  ///     two files with one identifier are an error.
  ///   - lookout: Looks for what the files name; nil: nobody does.
  public init(
    settings: SourceFile?, jobs: [SourceFile], providers: [SourceFile], zones: ZoneSource,
    lookout: Lookout? = nil
  ) {
    read(settings: settings, lookout)
    for file in providers { read(provider: file, lookout) }
    // One that can't be seen may be there.
    let names = unlisted.isEmpty ? providerPaths.keys.map(\.description) : nil
    for file in jobs { read(job: file, zones, names, lookout) }
  }

  /// What a reload should use: where a file is there but bad, or can't be seen, `previous`'s definition from it.
  ///
  /// The foreground agent reads a provider's file itself, so ``ProviderDefinition/fileProblem`` says that it can't.
  public func keepingLastGood(of previous: LoadedConfiguration) -> LoadedConfiguration {
    var merged = self
    merged.settings = settings ?? previous.settings
    for id in jobPaths.keys where jobs[id] == nil { merged.jobs[id] = previous.jobs[id] }
    for (name, path) in providerPaths where providers[name] == nil {
      merged.providers[name] = previous.providers[name]
      merged.providers[name]?.fileProblem =
        "\(path) has mistakes: nightlatch check names them; after they are mended, nightlatch reload goes on"
    }
    for (id, path) in previous.jobPaths where mayHold(path, unless: jobPaths[id]) {
      (merged.jobs[id], merged.jobPaths[id]) = (previous.jobs[id], path)
    }
    for (name, path) in previous.providerPaths where mayHold(path, unless: providerPaths[name]) {
      (merged.providers[name], merged.providerPaths[name]) = (previous.providers[name], path)
    }
    return merged
  }

  /// Whether a file that nobody can see now may still be in force, unless `found`, its namesake, hides it.
  private func mayHold(_ path: String, unless found: String?) -> Bool {
    unlisted.contains { folder, earlier in
      SourceFile.isFile(path, in: folder)
        && !earlier.contains { hiding in found.map { SourceFile.isFile($0, in: hiding) } ?? false }
    }
  }

  /// Takes note of a folder in place of its files.
  private mutating func note(unlisted file: SourceFile) -> Bool {
    guard case .unlisted(let reason, let earlier) = file.content else { return false }
    unlisted[file.path] = earlier
    diagnostics.append(Diagnostic(path: file.path, position: nil, severity: .error, message: reason))
    return true
  }

  private mutating func read(settings file: SourceFile?, _ lookout: Lookout?) {
    guard let file else {
      settings = DaemonSettings()
      return
    }
    let parsed = DaemonSettings.parse(file, lookout: lookout)
    settings = parsed.value
    diagnostics += parsed.diagnostics
  }

  private mutating func read(provider file: SourceFile, _ lookout: Lookout?) {
    if note(unlisted: file) { return }
    let name = ProviderName(file.identifier)
    if reportDuplicate(of: providerPaths[name], file) { return }
    let parsed = ProviderDefinition.parse(file, lookout: lookout)
    providerPaths[name] = file.path
    providers[name] = parsed.value
    diagnostics += parsed.diagnostics
  }

  private mutating func read(
    job file: SourceFile, _ zones: ZoneSource, _ providers: [String]?, _ lookout: Lookout?
  ) {
    if note(unlisted: file) { return }
    let id = JobID(file.identifier)
    if reportDuplicate(of: jobPaths[id], file) { return }
    jobPaths[id] = file.path
    let parsed = JobDefinition.parse(file, zones: zones, providers: providers, lookout: lookout)
    jobs[id] = parsed.value
    diagnostics += parsed.diagnostics
  }

  private mutating func reportDuplicate(of first: String?, _ file: SourceFile) -> Bool {
    guard let first else { return false }
    let message = "\(first) already has the identifier \(file.identifier.quoted), so this file is ignored"
    diagnostics.append(Diagnostic(path: file.path, position: nil, severity: .error, message: message))
    return true
  }
}
