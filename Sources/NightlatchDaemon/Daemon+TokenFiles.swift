import AuthModel
import JobEngine
import LinuxPlatform

extension Daemon {
  /// Follows the token files of `static` providers, so that a rotation is published at once.
  func watchTokenFiles() {
    let paths = configuration.definitions.tokenFiles
    for name in tokenWatches.keys where paths[name] == nil {
      _ = tokenWatches.removeValue(forKey: name)?.follow([])
    }
    for (name, path) in paths {
      let watch = tokenWatches[name] ?? tokenWatch(of: name)
      tokenWatches[name] = watch
      // It may have been rotated while nobody watched. Without a snapshot it is about to be read anyway.
      if watch.follow(FilePath.lookups(of: path)), auth.present(name) != nil { post(.tokenRotated(name)) }
    }
  }

  private func tokenWatch(of name: ProviderName) -> FileWatch {
    FileWatch(
      onFailure: { [weak self] error in self?.log.write(.tokenFileUnwatched(name, error)) },
      onChange: { [weak self] in self?.tokenFileChanged(name) })
  }

  private func tokenFileChanged(_ name: ProviderName) {
    // The path may lead elsewhere now.
    if let path = configuration.definitions.tokenFiles[name] {
      _ = tokenWatches[name]?.follow(FilePath.lookups(of: path))
    }
    post(.tokenRotated(name))
  }
}

extension Definitions {
  /// Where another program keeps the tokens of a provider.
  fileprivate var tokenFiles: [ProviderName: String] {
    providers.compactMapValues { provider in
      if case .tokenFile(let path, _) = provider.kind { path } else { nil }
    }
  }
}
