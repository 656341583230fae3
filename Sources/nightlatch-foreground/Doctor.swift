import AuthModel
import Glibc
import LinuxPlatform
import SessionAgent

/// The verb `doctor`: one line for each thing that was looked at.
struct Doctor {
  let folders: Folders
  let places: SessionPlaces
  let hold: SignalHold
  let console: Console

  /// No name: every provider there is.
  func run(_ names: [ProviderName]) -> ExitStatus {
    let files = ProviderFiles(folders)
    var findings = MachineExamination(folders: folders).findings
    findings += files.problems.map {
      Finding(.failed, "providers", "\($0); run this as a user who may read it")
    }
    for finding in findings { say(finding, about: "nightlatch") }
    let wanted = names.isEmpty ? files.names : names
    if wanted.isEmpty, files.problems.isEmpty {
      console.say("warning  nightlatch: providers: there is none; see nightlatch-provider(5)")
    }
    let longestDelay = wanted.isEmpty ? nil : InhibitorLock.longestDelay()
    for name in wanted {
      let found = examine(files.definition(of: name), longestDelay)
      for finding in found { say(finding, about: name.description) }
      findings += found
    }
    return findings.contains { $0.level == .failed } ? .failure : .success
  }

  private func examine(_ definition: ProviderFiles.Found, _ longestDelay: Duration?) -> [Finding] {
    switch definition {
    case .failure(let complaint): [Finding(.failed, "provider file", complaint)]
    case .success(let provider):
      [Finding(.ok, "provider file", "type \(provider.kind.name)")] + examine(provider, longestDelay)
    }
  }

  private func examine(_ provider: ProviderDefinition, _ longestDelay: Duration?) -> [Finding] {
    do {
      return try ProviderExamination(provider, places: places, hold: hold, longestDelay: longestDelay)
        .findings()
    } catch {
      return [Finding(.failed, "machine", "\(error)")]
    }
  }

  private func say(_ finding: Finding, about name: String) {
    let level = finding.level.rawValue + String(repeating: " ", count: 7 - finding.level.rawValue.count)
    let detail = finding.detail.split(whereSeparator: \.isNewline).joined(separator: "; ")
    console.say("\(level)  \(name): \(finding.subject): \(detail)")
  }
}
