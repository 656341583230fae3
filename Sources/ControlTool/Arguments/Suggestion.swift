import Configuration

/// `; did you mean --json?`, or nothing when no name is near.
nonisolated func suggestion(for name: String, among names: [String], prefix: String = "") -> String {
  nearest(to: name, among: names).map { "; did you mean \(prefix)\($0)?" } ?? ""
}
