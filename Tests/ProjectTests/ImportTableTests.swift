import Testing

struct ImportTableTests {
  private let table: ImportTable

  init() throws {
    table = ImportTable(markdown: try SourceTree.text(of: "ARCHITECTURE.md"))
  }

  @Test func `every target of Sources has a row, and every row a target`() throws {
    #expect(Set(try SourceTree.sourceFiles().map(\.target)) == Set(table.rows.keys))
  }

  @Test func `a file imports only what its target's row allows`() throws {
    for file in try SourceTree.sourceFiles() {
      let row = try #require(table.rows[file.target], "no row for \(file.target)")
      for (module, line) in file.imports {
        #expect(
          row.mayImport.contains(module),
          "\(file):\(line): \(file.target) may not import \(module); see ARCHITECTURE.md")
      }
    }
  }

  @Test func `a pure target may import no system module`() {
    let exceptions = ["Configuration": ["CTOML"], "ControlProtocol": ["FoundationEssentials"]]
    for (name, row) in table.rows where row.kind == .pure {
      let others = row.mayImport.filter { table.rows[$0]?.kind != .pure }
      #expect(others.isSubset(of: exceptions[name] ?? []), "\(name) may import \(others)")
    }
  }

  @Test func `the daemon may not import the agent, nor anything that speaks HTTP or encrypts`() throws {
    var open = ["nightlatchd"]
    var reached: Set<String> = []
    while let name = open.popLast() {
      guard reached.insert(name).inserted else { continue }
      open += table.rows[name]?.mayImport ?? []
    }
    #expect(reached.contains("NightlatchDaemon"))
    for module in ["SessionAgent", "CCurl", "CSodium", "CJOSE", "Foundation", "FoundationNetworking"] {
      #expect(!reached.contains(module))
    }
  }

  @Test(arguments: [
    ("import A", "A"), ("public import A", "A"), ("  @preconcurrency import A", "A"),
    ("import struct A.B", "A"), ("import A // why", "A"),
  ])
  func `an import is recognised in all its forms`(line: String, module: String) {
    #expect(SourceFile(path: "x", text: line).imports.map(\.module) == [module])
  }

  @Test(arguments: ["// import A", "importA", "let text = \"import A\"", "func `import`()"])
  func `nothing else is an import`(line: String) {
    #expect(SourceFile(path: "x", text: line).imports.isEmpty)
  }
}
