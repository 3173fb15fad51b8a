import CLibrary
import Foundation
import RowQueries
import SQLiteStorage
import Testing

/// Files of unknown origin: what is in them cannot write, load code, draw on the terminal or keep the
/// tool from ending.
@Suite(.timeLimit(.minutes(5))) struct HostileFileTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// Runs a command, and expects that nothing in the folder is changed by it.
  private func run(_ arguments: String...) async throws -> Tool.Result {
    let before = try folder.contents()
    let result = try await Tool.run(arguments, in: folder)
    #expect(try folder.contents() == before, "\(arguments)")
    #expect(try folder.temporaryFiles().isEmpty, "\(arguments)")
    return result
  }

  @Test(arguments: [
    "SELECT load_extension('./evil')", "SELECT writefile('made', 'x')",
    "SELECT edit('x', 'touch made')", "SELECT fts3_tokenizer('simple', x'00')",
    "SELECT sqlite_compileoption_get(1e300), randomblob(2000000000)",
  ])
  func aViewThatCallsAFunctionIsRefusedOrHarmless(select: String) async throws {
    try folder.makeDatabase("CREATE TABLE t(id); CREATE VIEW v AS \(select) AS a")
    let result = try await run("query", "a.db", "v")
    result.expectFailure(65)
    #expect(try folder.contents().keys.sorted() == ["a.db"])
  }

  @Test func aTriggerIsNotRunByReading() async throws {
    try folder.makeDatabase(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO t VALUES (1, 'one');
      CREATE VIEW v AS SELECT * FROM t;
      CREATE TRIGGER changed AFTER UPDATE ON t BEGIN SELECT load_extension('./evil'); END;
      CREATE TRIGGER instead INSTEAD OF INSERT ON v BEGIN DELETE FROM t; END;
      """)
    #expect(try await run("query", "a.db", "v", "--format", "csv").stdout.contains("one"))
    #expect(try await run("schema", "a.db").status == 0)
  }

  @Test func viewsInACircleAreAnError() async throws {
    try folder.makeDatabase(
      "CREATE VIEW a AS SELECT * FROM b; CREATE VIEW b AS SELECT * FROM a; CREATE TABLE t(id)")
    try await run("query", "a.db", "a").expectFailure(65, "circular")
    #expect(try await run("query", "a.db", "t").status == 0)
    // One view that is not in order must not keep the others from being listed.
    #expect(try await run("schema", "a.db").status != 70)
  }

  @Test func anExpressionThatIsTooDeepIsAnError() async throws {
    let depth = 3_000
    let sql = String(repeating: "abs(", count: depth) + "1" + String(repeating: ")", count: depth)
    try folder.makeDatabase()
    try await run("query", "a.db", "SELECT \(sql) AS a").expectFailure(65)
    try await run("query", "a.db", "t", "--where", sql).expectFailure(65)
    let terms = String(repeating: "id + ", count: 20_000) + "1"
    try await run("query", "a.db", "t", "--where", terms).expectFailure(65)
  }

  @Test func namesThatAreTooLongAreReported() async throws {
    let name = String(repeating: "n", count: 200_000)
    try folder.makeDatabase(
      "CREATE TABLE \(name)(id); CREATE TABLE t(id INTEGER PRIMARY KEY, c\(name) TEXT)")
    let result = try await run("query", "a.db", "none")
    result.expectFailure(65)
    #expect(result.stderr.utf8.count < 10_000)
    let column = try await run("query", "a.db", "t", "--sort", "none")
    column.expectFailure(65)
    #expect(column.stderr.utf8.count < 10_000)
    #expect(try await run("schema", "a.db").status == 0)
  }

  @Test(arguments: ["table", "list", "markdown", "html"])
  func controlCharactersNeverReachTheTerminal(format: String) async throws {
    let evil = "\u{1B}[2J\u{1B}]0;title\u{7}\u{9B}31m\u{202E}\r\u{8}\u{0}"
    let connection = try Connection(path: folder.file("a.db"), access: .readWriteCreate)
    let name = "t\(evil.dropLast())"
    let table = "\"\(name)\""
    try connection.execute(
      SQL(verbatim: "CREATE TABLE \(table)(id INTEGER PRIMARY KEY, \"c\(evil.dropLast())\")"))
    try connection.execute(SQL(verbatim: "INSERT INTO \(table) VALUES (1, ?)"), [.text(evil)])
    let column = "c\(evil.dropLast())"
    let results = [
      try await run("query", "a.db", name, "--format", format),
      try await run("query", "a.db", name, "--by", column, "--format", format),
      try await run("query", "a.db", "none"),
      try await run("schema", "a.db", "--format", format),
      try await run("query", "a.db", name, "--sort", "none"),
      try await run("query", "a.db", "SELECT * FROM nowhere, \(table)"),
    ]
    for result in results {
      for scalar in (result.stdout + result.stderr).unicodeScalars where scalar != "\n" {
        let isControl = scalar.value < 0x20 || 0x7F..<0xA0 ~= scalar.value || scalar == "\u{202E}"
        #expect(!isControl, "U+\(String(scalar.value, radix: 16)) in \(result)")
      }
    }
  }

  @Test func anEndlessViewIsStopped() async throws {
    try folder.makeDatabase(
      """
      CREATE TABLE t(id);
      CREATE VIEW v AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c;
      """, journalMode: "WAL")
    for command in ["query", "watch"] {
      let run = try Tool.start([command, "a.db", "v"], in: folder)
      while !FileManager.default.fileExists(atPath: folder.file("a.db-shm")) {
        try await Task.sleep(for: .milliseconds(5))
      }
      run.send(SIGINT)
      #expect(try await run.end().status == 130)
      #expect(try folder.temporaryFiles().isEmpty)
    }
  }

  @Test(arguments: ["WAL", "DELETE"])
  func readingLeavesEveryByte(journalMode: String) async throws {
    for name in ["a.db", "b.db"] { try folder.makeDatabase(named: name, journalMode: journalMode) }
    for arguments in [
      ["query", "a.db", "t"], ["query", "a.db", "SELECT name FROM t", "--by", "name"],
      ["schema", "a.db"], ["schema", "a.db", "t"], ["diff", "a.db", "b.db", "t"],
      ["watch", "a.db", "none"], ["query", "a.db", "none"],
    ] {
      let before = try folder.contents()
      _ = try await Tool.run(arguments, in: folder)
      #expect(try folder.contents() == before, "\(arguments)")
    }
  }
}
