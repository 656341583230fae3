public import JobEngine

extension DaemonSettings {
  /// Reads `nightlatch.toml`. The keys are in `config/README.md`.
  ///
  /// - Parameter lookout: Looks for the hooks' programs.
  public static func parse(_ file: SourceFile, lookout: Lookout? = nil) -> Parsed<DaemonSettings> {
    file.read(lookout) { root in
      var settings = DaemonSettings()
      root.read("drain_concurrency", .integer(in: 1...1000), into: &settings.drainConcurrency)
      root.read("clock_trust", .choice(), into: &settings.clockTrust)
      root.section("foreground") { $0.read("when", .choice(), into: &settings.foreground) }
      settings.hooks = root.readHooks()
      root.section("ledger") {
        $0.read("keep", .timeSpan(from: .seconds(86_400)), into: &settings.ledgerKeep)
      }
      return settings
    }
  }
}
