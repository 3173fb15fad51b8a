import Foundation
import SQLiteStorage
import Testing

@testable import sections

@Suite(.timeLimit(.minutes(10))) struct ImportCommandTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    try folder.makeDatabase("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
  }

  private func names() throws -> [Value] {
    try Connection(path: folder.file("a.db"), access: .readOnly)
      .rows("SELECT name FROM t ORDER BY id").map { $0.values[0] }
  }

  private func run(_ arguments: String..., stdin: String = "") async throws -> Tool.Result {
    try await Tool.run(["import"] + arguments, in: folder, stdin: stdin)
  }

  @Test func recordsBecomeRows() async throws {
    try folder.write("[{\"name\": \"one\"},\n {\"id\": 7, \"name\": \"two\"}]", to: "t.json")
    try await run("a.db", "t.json", "--into", "T").expect("imported 2 records into T\n")
    #expect(try names() == ["one", "two"])
    try await run("a.db", "-", "--into", "t", "--quiet", stdin: "[{\"name\": \"three\"}]")
      .expect("imported 1 record into t\n")
    try await run("a.db", "-", "--into", "t", stdin: "[]").expect("imported 0 records into t\n")
    #expect(try names().count == 3)
    // No journal, no write-ahead log: the mode of the file is the owner's.
    #expect(try folder.contents().keys.sorted() == ["a.db", "t.json"])
  }

  @Test func namesOfOtherBytesAreOtherColumns() async throws {
    try folder.makeDatabase("CREATE TABLE u(\"caf\u{E9}\", \"cafe\u{301}\")")
    let records = "[{\"cafe\u{301}\": 1}, {\"caf\u{E9}\": 2, \"cafe\u{301}\": 3}]"
    try await run("a.db", "-", "--into", "u", stdin: records).expect("imported 2 records into u\n")
    let rows = try Connection(path: folder.file("a.db"), access: .readOnly).rows("SELECT * FROM u")
    #expect(rows.map(\.values) == [[nil, 1], [2, 3]])
  }

  @Test func badRecordsAreReportedAndTheOthersStay() async throws {
    let records = "[{\"name\": \"one\"}, 2, {\"nme\": \"x\\u001b[2J\"}, {}, {\"name\": \"five\"}]"
    let result = try await run("a.db", "-", "--into", "t", stdin: records)
    #expect(result.status == 65)
    #expect(result.stdout == "imported 2 records into t, skipped 3\n")
    #expect(
      result.stderr == """
        sections: record 2: a record must be an object, not the number 2. Correct the record, and import it alone
        sections: record 3: there is no column nme in t. The columns are: id, name
        sections: record 4: NOT NULL constraint failed: t.name

        """)
    #expect(try names() == ["one", "five"])
  }

  @Test func ofManyBadRecordsTheFirstHundredAreReported() async throws {
    let records = "[\(Array(repeating: "0", count: 250).joined(separator: ","))]"
    let result = try await run("a.db", "-", "--into", "t", stdin: records)
    #expect(result.status == 65)
    let lines = result.stderr.split(separator: "\n")
    #expect(lines.count == 101)
    #expect(lines.last == "sections: … and 150 more records were skipped")
  }

  @Test func whatIsNotJSONChangesNothing() async throws {
    let before = try folder.contents()
    try await run("a.db", "-", "--into", "t", stdin: "[{\"name\": \"one\"},\n{\"name\": }]")
      .expectFailure(
        65, "standard input: line 2, column 10: expected a value but found '}'", "Nothing")
    try await run("a.db", "-", "--into", "t").expectFailure(65, "line 1, column 1")
    #expect(try folder.contents() == before)
  }

  @Test func oneObjectALineIsNotRead() async throws {
    try folder.write("{\"name\": \"one\"}\n{\"name\": \"two\"}\n", to: "t.ndjson")
    try await run("a.db", "t.ndjson", "--into", "t").expectFailure(
      65, "t.ndjson: line 1, column 1: expected '[' at the start of an array", "but found '{'",
      "one object per line (NDJSON) is not read. Nothing was imported")
  }

  @Test func aNamedPipeIsReadOnce() async throws {
    let result = try await Tool.shell(
      """
      mkfifo pipe
      printf '[{"name": "one"}]' > pipe &
      "$sections" import a.db pipe --into t
      """, in: folder)
    result.expect("imported 1 record into t\n")
    #expect(try names() == ["one"])
  }

  @Test func whatIsMissingIsNamed() async throws {
    try folder.write("[]", to: "t.json")
    try await run("a.db", "u.json", "--into", "t").expectFailure(66, "no such file: u.json")
    try await run("a.db", ".", "--into", "t").expectFailure(66, "folder")
    try await run("b.db", "t.json", "--into", "t").expectFailure(66, "b.db")
    try await run("a.db", "t.json", "--into", "u")
      .expectFailure(65, "no table u", "The database has: t")
    Tool.parse(["import", "a.db", "t.json"]).expectFailure(64, "--into <table>")
    #expect(try folder.contents().keys.sorted() == ["a.db", "t.json"])
  }

  @Test func whatQueryPrintsCanBeImportedAgain() async throws {
    let connection = try Connection(path: folder.file("a.db"))
    try connection.execute(
      script: """
        CREATE TABLE v(i INTEGER, r REAL, s TEXT, b BLOB);
        INSERT INTO v VALUES (-9223372036854775808, 0.1, 'a"\\é' || char(10, 0x1F600), x'00FF'),
          (NULL, NULL, NULL, NULL), (9007199254740993, -1e300, '', x'');
        CREATE TABLE w(i INTEGER, r REAL, s TEXT, b BLOB);
        """)
    let printed = try await Tool.run(["query", "a.db", "v", "--format", "ndjson"], in: folder)
    let rows = printed.lines.map { $0.dropFirst("{\"section\":null,\"row\":".count).dropLast() }
    try await run("a.db", "-", "--into", "w", stdin: "[\(rows.joined(separator: ","))]")
      .expect("imported 3 records into w\n")
    #expect(try connection.rows("SELECT * FROM v EXCEPT SELECT * FROM w").isEmpty)
  }
}
