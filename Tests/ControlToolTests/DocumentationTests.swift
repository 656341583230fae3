import Glibc
import Testing

@testable import ControlTool

/// Manual and completion are made from the table that the tool itself reads.
struct DocumentationTests {
  @Test func `the manual page is what the table says`() throws {
    try Golden.expect(ManualPage.text(CommandTable.commands), equals: "docs/man/nightlatch.1")
  }

  @Test func `the completion is what the table says`() throws {
    try Golden.expect(BashCompletion.script(CommandTable.commands), equals: "completions/nightlatch.bash")
  }

  @Test(
    arguments: [
      ("st", "status"), ("--us", "--user"), ("runs --verdict timed", "timed-out"), ("list --js", "--json"),
      ("pause com.example.b", "com.example.b1,com.example.b2"), ("token w", "work"),
      ("queue --provider w", "work"),
      ("--config /x list com", "com.example.b1,com.example.b2,--config /x"), ("help cal", "calendar"),
      ("queue -n ", ""),
      ("nonsense x", ""),
    ] as [(String, String)])
  func `bash offers what fits`(_ line: String, _ expected: String) throws {
    let folder = TemporaryFolder()
    try folder.write(BashCompletion.script(CommandTable.commands), to: "nightlatch.bash")
    // A stand-in for the tool, which tells the folders it was given as one more name.
    let script = """
      nightlatch() {
        local last=${@: -1} folders=${*:1:$#-2}
        if [ "$last" = jobs ]; then echo com.example.b1 com.example.b2 ${folders:+com.folders}; else echo work; fi
      }
      source '\(folder.path)/nightlatch.bash'
      line='\(line)'
      COMP_WORDS=(nightlatch $line)
      [[ $line == *' ' ]] && COMP_WORDS+=('')
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      _nightlatch
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let offered = try output(ofBash: script, in: folder)
    let wanted = expected.split(separator: ",").map(String.init).map {
      $0.hasPrefix("--config") ? "com.folders" : $0
    }
    #expect(offered == wanted)
  }

  private func output(ofBash script: String, in folder: TemporaryFolder) throws -> [String] {
    try folder.write(script, to: "script")
    let pipe = try #require(popen("bash '\(folder.path)/script' 2>&1", "r"))
    defer { pclose(pipe) }
    var text: [UInt8] = []
    while case let byte = fgetc(pipe), byte != EOF { text.append(UInt8(truncatingIfNeeded: byte)) }
    return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
