public import JobEngine

extension DaemonSettings {
  /// Reads `nightlatch.toml`. The keys are in `config/README.md`.
  public static func parse(_ file: SourceFile) -> Parsed<DaemonSettings> {
    file.read { root in
      var settings = DaemonSettings()
      root.read("drain_concurrency", .integer(in: 1...1000), into: &settings.drainConcurrency)
      root.read("max_concurrent_runs", .integer(in: 1...10_000), into: &settings.maxConcurrentRuns)
      root.section("foreground") { $0.read("when", .choice(), into: &settings.foreground) }
      root.section("ledger") {
        $0.read("keep", .timeSpan(from: .seconds(86_400)), into: &settings.ledgerKeep)
      }
      settings.check(root)
      return settings
    }
  }

  private func check(_ root: Section) {
    guard drainConcurrency > maxConcurrentRuns, root.has("drain_concurrency") else { return }
    root.report(
      "drain_concurrency is \(drainConcurrency), but at most max_concurrent_runs (\(maxConcurrentRuns)) is expected",
      at: root.position(of: "drain_concurrency"))
  }
}
