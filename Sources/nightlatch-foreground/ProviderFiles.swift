import AuthModel
import Configuration
import LinuxPlatform

/// The files of `providers.d`.
struct ProviderFiles {
  /// A definition, or what is wrong with it.
  enum Found {
    case success(ProviderDefinition)
    case failure(String)
  }

  /// Folders that can't be listed, and why: nobody knows which files they hold.
  let problems: [String]
  private var files: [ProviderName: SourceFile] = [:]
  private let folder: String

  init(_ folders: Folders) {
    folder = folders.providers.first ?? "providers.d"
    let (sources, failures) = SourceFiles.load(folders: folders.providers)
    problems = failures.filter(\.isFolder).map(\.message)
    let readable = sources.map { SourceFile(path: $0.path, bytes: $0.text) }
    let unreadable = failures.filter { !$0.isFolder }
      .map { SourceFile(path: $0.path, unreadable: $0.message) }
    for file in readable + unreadable { files[ProviderName(file.identifier)] = file }
  }

  var names: [ProviderName] { files.keys.sorted() }

  func definition(of name: ProviderName) -> Found {
    guard let file = files[name] else {
      if let problem = problems.first {
        return .failure("cannot tell whether there is a provider \"\(name)\": \(problem)")
      }
      let known =
        names.isEmpty
        ? "there is none at all" : "there are \(names.map(\.description).joined(separator: ", "))"
      return .failure("cannot find provider \"\(name)\": there is no file \(folder)/\(name).toml; \(known)")
    }
    let parsed = ProviderDefinition.parse(file)
    let errors = parsed.diagnostics.filter { $0.severity == .error }
    guard let provider = parsed.value, errors.isEmpty else {
      return .failure(errors.map(\.description).joined(separator: "\n"))
    }
    return .success(provider)
  }
}
