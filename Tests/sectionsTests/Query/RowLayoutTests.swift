import CLibrary
import SQLiteStorage
import Testing

/// A section is printed with the value that its rows have, to the digit.
@Suite(.timeLimit(.minutes(10))) struct RowLayoutTests {
  private let folder: TestFolder
  /// By `n` the rows are in the order 5, 4, 2, 1 with 6, 7, 3.
  private static let script = """
    CREATE TABLE s(id INTEGER PRIMARY KEY, r REAL, n);
    INSERT INTO s VALUES (1, 1, 1.0), (2, 0, -0.0), (3, 9e999, 9e999), (4, -9e999, -9e999),
      (5, NULL, NULL), (6, 1.5, 1), (7, 3, 3);
    """

  init() throws {
    folder = try TestFolder()
    try folder.makeDatabase(Self.script)
  }

  private func query(_ arguments: String...) async throws -> Tool.Result {
    try await Tool.run(["query", "a.db", "s"] + arguments, in: folder)
  }

  @Test(arguments: [["--columns", "id"], ["--columns", "id", "--sort", "n,id"]])
  func inJSONTheTitleDistinguishesInfinityFromNULL(_ arguments: [String]) async throws {
    try await Tool.run(
      ["query", "a.db", "s", "--by", "n", "--format", "json"] + arguments, in: folder
    ).expect(
      """
      [
      {"section":null,"title":"","indexTitle":null,"count":1,"rows":[
      {"id":5}
      ]},
      {"section":null,"title":"-Inf","indexTitle":"-","count":1,"rows":[
      {"id":4}
      ]},
      {"section":-0.0,"title":"-0.0","indexTitle":"-","count":1,"rows":[
      {"id":2}
      ]},
      {"section":1.0,"title":"1.0","indexTitle":"1","count":2,"rows":[
      {"id":1},
      {"id":6}
      ]},
      {"section":3,"title":"3","indexTitle":"3","count":1,"rows":[
      {"id":7}
      ]},
      {"section":null,"title":"Inf","indexTitle":"I","count":1,"rows":[
      {"id":3}
      ]}
      ]

      """)
  }

  @Test func inEveryMachineFormatItIsTheValueOfTheFirstRow() async throws {
    try await query("--by", "n", "--columns", "n", "--format", "csv")
      .expect("section,n\n,\n-Inf,-Inf\n-0.0,-0.0\n1.0,1.0\n1.0,1\n3,3\nInf,Inf\n")
    try await query("--by", "n", "--columns", "n", "--format", "tsv")
      .expect("section\tn\n\t\n-Inf\t-Inf\n-0.0\t-0.0\n1.0\t1.0\n1.0\t1\n3\t3\nInf\tInf\n")
    try await query("--by", "r", "--columns", "r", "--format", "ndjson", "--limit", "5").expect(
      """
      {"section":null,"row":{"r":null}}
      {"section":null,"row":{"r":null}}
      {"section":0.0,"row":{"r":0.0}}
      {"section":1.0,"row":{"r":1.0}}
      {"section":1.5,"row":{"r":1.5}}

      """)
  }

  @Test func anExpressionIsPrintedLikeAColumn() async throws {
    try await query("--by", "round(r) -- to whole numbers", "--columns", "id", "--format", "csv")
      .expect("section,id\n,5\n-Inf,4\n0.0,2\n1.0,1\n2.0,6\n3.0,7\nInf,3\n")
    try await query(
      "--by", "n + :d", "-p", "d=0.5", "--format", "csv", "--where", "id = 1", "--columns", "n"
    ).expect("section,n\n1.5,1.0\n")
    try await query("--by", "n * :d", "-p", "d=2.0", "--format", "csv", "--where", "id = 7")
      .expect("section,id,r,n\n6.0,7,3.0,3\n")
    let select = "SELECT 1.0 AS a, 2 AS a"
    for by in ["a", "a + 0"] {
      try await Tool.run(["query", "a.db", select, "--by", by, "--format", "csv"], in: folder)
        .expect("section,a,a\n1.0,1.0,2\n")
    }
  }

  @Test func headingsForPeopleAreLikeTheCells() async throws {
    try await query("--by", "n", "--columns", "n", "--where", "id IN (1, 3, 5)", "--format", "list")
      .expect("NULL (1)\n  NULL\n\n1.0 (1)\n  1.0\n\nInf (1)\n  Inf\n")
    try await query("--by", "round(r)", "--columns", "id", "--where", "id = 6", "--format", "list")
      .expect("2.0 (1)\n  6\n")
  }

  @Test func watchPrintsWhatQueryPrints() async throws {
    let run = try WatchRun(["a.db", "s", "--by", "round(r)", "--columns", "id"], in: folder)
    let snapshot = try #require(await run.next())
    for part in [
      #"{"section":null,"title":"-Inf","indexTitle":"-","count":1,"rows":[{"id":4}]}"#,
      #"{"section":2.0,"title":"2.0","indexTitle":"2","count":1,"rows":[{"id":6}]}"#,
    ] { #expect(snapshot.contains(part), "\(snapshot)") }
    try Connection(path: folder.file("a.db")).execute("INSERT INTO s VALUES (8, 6.7, 0)")
    let changes = try #require(await run.next())
    for part in [
      #""insert":[{"at":6,"section":7.0,"title":"7.0"}]"#,
      #""insert":[{"to":[6,0],"row":{"id":8}}]"#,
    ] { #expect(changes.contains(part), "\(changes)") }
    run.send(SIGINT)
    _ = try await run.end()
  }

  /// The header is that of the first row, and a column that is not printed has no event of its row.
  @Test(arguments: [(["--by", "n"], ["1", "1.0"]), (["--by", "x"], ["\"a\"", "\"A\""])])
  func aSectionWithAnotherSpellingIsWrittenInUpdate(_ by: [String], keys: [String]) async throws {
    try folder.makeDatabase(
      """
      CREATE TABLE s(id INTEGER PRIMARY KEY, n, x TEXT COLLATE NOCASE);
      INSERT INTO s VALUES (1, 1, 'a'), (2, 1, 'a');
      """, named: "c.db")
    let run = try WatchRun(["c.db", "s", "--columns", "id"] + by, in: folder)
    _ = await run.next()
    let writer = try Connection(path: folder.file("c.db"))
    try writer.execute("UPDATE s SET n = 1.0, x = 'A' WHERE id = 1")
    let title = keys[1].filter { $0 != "\"" }
    #expect(
      await run.next()
        == #"{"event":"changes","version":1,"sections":{"delete":[],"insert":[],"#
        + #""update":[{"at":0,"section":\#(keys[1]),"title":"\#(title)"}]},"#
        + #""rows":{"delete":[],"insert":[],"move":[],"update":[]}}"#)
    // The next row is the first now.
    try writer.execute("DELETE FROM s WHERE id = 1")
    let change = try #require(await run.next())
    #expect(change.contains(#""update":[{"at":0,"section":\#(keys[0]),"#), "\(change)")
    run.send(SIGINT)
    _ = try await run.end()
    try writer.execute("VACUUM INTO \(folder.file("d.db") as String)")
    try Connection(path: folder.file("d.db")).execute("UPDATE s SET n = 1.0, x = 'A'")
    let diff = try await Tool.run(
      ["diff", "c.db", "d.db", "s", "--columns", "id", "--format", "list"] + by, in: folder)
    diff.expect("= \(keys[0].filter { $0 != "\"" }) → \(title)\n")
  }

  @Test func columnsThatAreAddedWhileItWatchesAreShown() async throws {
    let run = try WatchRun(["a.db", "s", "--by", "round(r)"], in: folder)
    _ = await run.next()
    try Connection(path: folder.file("a.db")).execute("ALTER TABLE s ADD COLUMN extra")
    let reset = try #require(await run.next())
    #expect(
      reset.contains(
        #""section":2.0,"title":"2.0","indexTitle":"2","count":1,"rows":["#
          + #"{"id":6,"r":1.5,"n":1,"extra":null}]"#), "\(reset)")
    run.send(SIGINT)
    _ = try await run.end()
  }

  @Test func diffPrintsWhatQueryPrints() async throws {
    try folder.makeDatabase(Self.script + "INSERT INTO s VALUES (8, 7, 0);", named: "b.db")
    func diff(_ arguments: String...) async throws -> Tool.Result {
      try await Tool.run(["diff", "a.db", "b.db", "s", "--columns", "id"] + arguments, in: folder)
    }
    for by in ["r", "round(r)"] {
      try await diff("--by", by).expect(
        #"{"event":"changes","version":1,"sections":{"delete":[],"#
          + #""insert":[{"at":6,"section":7.0,"title":"7.0"}]},"rows":{"delete":[],"#
          + #""insert":[{"to":[6,0],"row":{"id":8}}],"move":[],"update":[]}}"# + "\n")
      try await diff("--by", by, "--format", "list").expect("+ 7.0 (1)\n+ 7.0: 8\n")
    }
  }
}
