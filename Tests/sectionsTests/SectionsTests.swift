import Foundation
import SQLiteStorage
import Testing

@testable import sections

@Suite(.timeLimit(.minutes(5))) struct SectionsTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func run(_ arguments: String...) async throws -> Tool.Result {
    try await Tool.run(arguments, in: folder)
  }

  @Test func theVersionIsTheNewestOfTheChangeLogAndNamesThatOfSQLite() async throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../CHANGELOG.md")
    let changeLog = try String(contentsOf: file, encoding: .utf8)
    let newest = try #require(changeLog.firstMatch(of: /\n## \[([0-9.]+)\]/))
    let result = try await run("--version")
    let issues = SQLiteIssues(of: Connection.sqliteVersion).descriptions
    let lines = ["sections \(newest.1) (SQLite \(Connection.sqliteVersion))"] + issues
    result.expect(lines.map { $0 + "\n" }.joined())
  }

  @Test(arguments: [
    "", "query", "watch", "serve", "diff", "explain", "import", "generate", "schema", "migrate",
    "migrate up", "migrate down", "migrate status", "migrate verify", "migrate new", "demo",
  ])
  func everyCommandHasHelp(_ command: String) {
    let words = command.split(separator: " ").map { String($0) }
    let result = Tool.parse(words + ["--help"])
    #expect(result.status == 0)
    #expect(result.stderr.isEmpty)
    #expect(result.stdout.hasPrefix("OVERVIEW: "))
    #expect(result.stdout.contains("USAGE: " + (["sections"] + words).joined(separator: " ") + " "))
    #expect(result.lines.allSatisfy { $0.count <= 80 || $0.hasPrefix("USAGE") })
    // An example that was wrapped could not be pasted.
    let examples = result.lines.drop { $0 != "Examples:" }.dropFirst().prefix { !$0.isEmpty }
    #expect(examples.allSatisfy { $0.hasPrefix("  ") })
    #expect(Tool.parse(["help"] + words).stdout == result.stdout)
  }

  @Test(arguments: ["query --help", "help query"])
  func helpIsPrinted(_ line: String) async throws {
    let words = line.split(separator: " ").map { String($0) }
    try await Tool.run(words, in: folder).expect(Tool.parse(words).stdout)
  }

  /// What would be ignored is refused, with what to do instead.
  @Test(arguments: [
    ("query a.db t --total total(id)", "must be count, sum(X), avg(X), min(X) or max(X)"),
    ("query a.db t -p n", "must be NAME=VALUE, such as n=3"),
    ("query a.db t --index", "--index needs sections. Add --by"),
    ("watch a.db t --index", "--index needs sections. Add --by"),
    ("explain a.db t --format table", "one of 'list' and 'json'"),
    ("qurey a.db t", "there is no command qurey. Did you mean query?"),
  ])
  func uselessOptionsAreRefused(_ line: String, _ message: String) {
    Tool.parse(line.split(separator: " ").map { String($0) }).expectFailure(64, message)
  }

  /// Only the command knows the format.
  @Test(arguments: [
    ("query a.db t --by name --index", "--index cannot be printed as tsv"),
    ("query a.db t --by name --index --format json", "--index cannot be printed as json"),
    ("watch a.db t --by name --index", "--index cannot be printed as ndjson"),
    ("demo --index --format csv", "--index cannot be printed as csv"),
  ])
  func anIndexThatIsNotPrintedIsRefused(_ line: String, _ message: String) async throws {
    try folder.makeDatabase()
    let words = line.split(separator: " ").map { String($0) }
    try await Tool.run(words, in: folder).expectFailure(64, message)
  }

  @Test func columnsMayBeRepeated() async throws {
    try folder.makeDatabase()
    try await run("query", "a.db", "t", "--columns", "name", "--columns", "id", "--limit", "1")
      .expect("name\tid\none\t1\n")
  }

  @Test(arguments: ["query a.db -", "serve a.db -"])
  func anErrorOfStandardInputIsReported(_ line: String) async throws {
    try folder.makeDatabase()
    try await Tool.shell("\"$sections\" \(line) < .", in: folder)
      .expectFailure(66, "it is a folder, not a file: standard input")
  }

  @Test func withoutACommandThereIsHelp() async throws {
    #expect(try await run().stdout == (try await run("--help").stdout))
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func completionsAreGenerated(_ shell: String) async throws {
    let result = try await run("--generate-completion-script", shell)
    #expect(result.status == 0)
    #expect(result.stderr.isEmpty)
    for word in ["migrate", "no-truncate", "ndjson", "verify"] {
      #expect(result.stdout.contains(word))
    }
    let check = try await Tool.shell(
      """
      command -v \(shell) > /dev/null || exit 0
      "$sections" --generate-completion-script \(shell) > script && \(shell) -n script
      """, in: folder)
    #expect(check.status == 0, "\(check.stderr)")
  }
}
