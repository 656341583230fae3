import JobEngine

extension Section {
  /// A job's `command` or `shell`: exactly one of them.
  func readCommand() -> JobDefinition.Command? {
    let hasBoth = has("command") && has("shell")
    if hasBoth {
      report("shell is set as well as command, but a job has exactly one of them", at: position(of: "shell"))
    } else if !has("command") && !has("shell") {
      report(
        "command is missing: a job needs command = [\"/path/to/program\", \"argument\"] or shell = \"...\"")
    }
    let arguments = read("command", .arguments)
    let script = read("shell", .nonEmpty)
    if hasBoth { return nil }
    return arguments.map { .arguments($0) } ?? script.map { .shell($0) }
  }

  /// Has somebody look for a command's program.
  func look(forProgramOf command: [String]?, searchPath: String? = nil, user: String? = nil, _ key: String) {
    guard let program = command?.first else { return }
    look(for: .program(program, searchPath: searchPath, user: user), key)
  }

  /// Reports a file whose name can't be an identifier.
  func checkIdentifier(of file: SourceFile) {
    if SourceFile.isValid(identifier: file.identifier) { return }
    findings.error(
      "the file's name gives the identifier \(file.identifier.quoted), but 1 to 200 letters, digits and . - _ are "
        + "expected, the first a letter or digit",
      at: nil)
  }
}

extension Reading<[String]> {
  /// A program and its arguments.
  static var arguments: Reading {
    let expected = "an array such as [\"/usr/bin/program\", \"argument\"]"
    return Reading { value, place in
      if case .string = value.content {
        place.report(
          "\(place.key) is a string, but \(expected) is expected"
            + (place.key == "command" ? "; a line for the shell is written as shell = \"...\"" : ""),
          at: value.begin)
        return nil
      }
      let element = Reading<String>.text("a string") { text, _, _ in text }
      guard let arguments = list(element, expected).read(value, place) else { return nil }
      guard let problem = problem(withProgram: arguments.first) else { return arguments }
      place.report("\(place.key) \(problem)", at: value.firstElement?.begin ?? value.begin)
      return nil
    }
  }

  private static func problem(withProgram program: String?) -> String? {
    guard let program else { return "is empty, but a program and its arguments are expected" }
    if program.isEmpty { return "begins with an empty string, but a program is expected" }
    if program.contains("/") && !program.hasPrefix("/") {
      return
        "begins with the relative path \(program.quoted), but an absolute path, or a name to look up in PATH, is expected"
    }
    return nil
  }
}

extension TOMLValue {
  fileprivate var firstElement: TOMLValue? {
    if case .array(let elements) = content { elements.first } else { nil }
  }
}

extension Reading<[String: String]> {
  /// A table of environment variables. Values are not repeated in messages.
  static var environment: Reading {
    Reading { value, place in
      guard case .table(let entries) = value.content else {
        place.mismatch(value, expected: "a table such as { LANG = \"C.UTF-8\" }")
        return nil
      }
      var variables: [String: String] = [:]
      for entry in entries {
        if let complaint = complaint(aboutVariable: entry.key) {
          place.report("\(place.key): \(complaint)", at: entry.position)
        }
        let inner = Place(key: "\(place.key).\(entry.key)", findings: place.findings)
        variables[entry.key] = Reading<String>.text("a string") { text, _, _ in text }.read(
          entry.value, inner)
      }
      return variables
    }
  }
}
