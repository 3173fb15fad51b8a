import SQLiteStorage
import Testing

@testable import sections

/// `--total`, in each format and in events.
@Suite(.timeLimit(.minutes(10))) struct TotalOptionTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    let script = #"""
      CREATE TABLE item(id INTEGER PRIMARY KEY, kind TEXT, amount, "a ""b""" INTEGER);
      INSERT INTO item VALUES (1, 'A', 10, 1), (2, 'A', 20, 2), (3, NULL, NULL, 3);
      """#
    try folder.makeDatabase(script)
    try folder.makeDatabase(script, named: "new.db")
  }

  private static let totals = ["--total", "count", "--total", "sum(amount)"]

  private func query(_ arguments: String...) async throws -> Tool.Result {
    try await Tool.run(
      ["query", "a.db", "item", "--columns", "id"] + Self.totals + arguments, in: folder)
  }

  @Test func json() async throws {
    try await query("--by", "kind", "--format", "json").expect(
      #"""
      {"sections":[
      {"section":null,"title":"","indexTitle":null,"count":1,"totals":{"count":1,"sum(amount)":null},"rows":[
      {"id":3}
      ]},
      {"section":"A","title":"A","indexTitle":"A","count":2,"totals":{"count":2,"sum(amount)":30},"rows":[
      {"id":1},
      {"id":2}
      ]}
      ],"totals":{"count":3,"sum(amount)":30}}

      """#)
    try await query("--where", "id > 3", "--by", "kind", "--format", "json").expect(
      #"{"sections":[],"totals":{"count":0,"sum(amount)":null}}"# + "\n")
  }

  @Test func ndjson() async throws {
    try await query("--by", "kind", "--format", "ndjson").expect(
      #"""
      {"section":null,"row":{"id":3}}
      {"section":null,"totals":{"count":1,"sum(amount)":null}}
      {"section":"A","row":{"id":1}}
      {"section":"A","row":{"id":2}}
      {"section":"A","totals":{"count":2,"sum(amount)":30}}
      {"totals":{"count":3,"sum(amount)":30}}

      """#)
  }

  @Test func list() async throws {
    try await query("--by", "kind", "--format", "list").expect(
      """
      NULL (1)
        3
      Σ count: 1 · sum(amount): NULL

      A (2)
        1
        2
      Σ count: 2 · sum(amount): 30

      Total count: 3 · sum(amount): 30

      """)
    try await query("--format", "list").expect(
      """
      1
      2
      3
      Total count: 3 · sum(amount): 30

      """)
  }

  @Test func table() async throws {
    try await query("--by", "kind", "--format", "table").expect(
      """
      id
      ──
      NULL (1)
       3
      Σ count: 1 · sum(amount): NULL

      A (2)
       1
       2
      Σ count: 2 · sum(amount): 30

      Total count: 3 · sum(amount): 30

      """)
    try await query("--limit", "2", "--format", "table").expect(
      """
      id
      ──
       1
       2
      Total count: 2 · sum(amount): 30
      (2 rows)

      """)
  }

  @Test func markdown() async throws {
    try await query("--by", "kind", "--where", "kind = 'A'", "--format", "markdown").expect(
      """
      ## A (2)

      | id |
      | --- |
      | 1 |
      | 2 |

      count: 2 · sum(amount): 30

      **Total** count: 2 · sum(amount): 30

      """)
  }

  @Test func html() async throws {
    let lines = try await query("--by", "kind", "--format", "html").lines
    #expect(
      lines.filter { $0.hasPrefix("<p>") } == [
        "<p>count: 1 · sum(amount): <span class=\"placeholder\">NULL</span></p>",
        "<p>count: 2 · sum(amount): 30</p>",
        "<p><strong>Total</strong> count: 3 · sum(amount): 30</p>",
      ])
  }

  @Test(arguments: ["csv", "tsv"])
  func formatsOfRowsHaveNoTotals(_ format: String) async throws {
    let result = try await query("--format", format)
    #expect(result.status == 64)
    #expect(result.stdout == "")
    #expect(result.stderr.contains("--total cannot be printed as \(format)"))
  }

  @Test func eachFunctionAndAnyExpression() async throws {
    let result = try await Tool.run(
      [
        "query", "a.db", "item", "--columns", "id", "--format", "ndjson", "--limit", "0",
        "--offset", "0", "--total", "count(amount)", "--total", "max(amount)",
      ], in: folder)
    result.expect(
      #"""
      {"section":null,"totals":{"count(amount)":0,"max(amount)":null}}
      {"totals":{"count(amount)":0,"max(amount)":null}}

      """#)
    let totals = [
      "COUNT(*)", "count(amount)", "avg(amount)", "min( a \"b\" )", "max(amount * :n)", "count",
      "count",
    ]
    let all = try await Tool.run(
      ["query", "a.db", "item", "--format", "ndjson", "-p", "n=2"]
        + totals.flatMap { ["--total", $0] }, in: folder)
    #expect(
      all.lines.last
        == #"{"totals":{"COUNT(*)":3,"count(amount)":2,"avg(amount)":15.0,"min( a \"b\" )":1,"#
        + #""max(amount * :n)":40,"count":3,"count:1":3}}"#)
  }

  @Test(arguments: ["median(amount)", "sum()", "sum"])
  func whatIsNoTotalIsRefused(_ total: String) {
    Tool.parse(["query", "a.db", "item", "--format", "json", "--total", total])
      .expectFailure(64, total)
  }

  @Test(arguments: [
    ("sum(nope)", "the total sum(nope): no such column: nope"),
    ("sum(1)) + (2)", "the total sum(1)) + (2): a parenthesis is closed that was not opened"),
  ])
  func aTotalThatCannotBeComputedIsNamed(_ total: String, message: String) async throws {
    try await Tool.run(
      ["query", "a.db", "item", "--format", "json", "--total", total], in: folder
    ).expectFailure(65, message)
  }

  // MARK: Events

  @Test func watchTellsTotals() async throws {
    let run = try WatchRun(
      ["a.db", "item", "--columns", "id", "--by", "kind", "--count", "3"] + Self.totals,
      in: folder)
    #expect(
      await run.next()
        == #"{"event":"snapshot","version":0,"sections":[{"section":null,"title":"","indexTitle":null,"#
        + #""count":1,"totals":{"count":1,"sum(amount)":null},"rows":[{"id":3}]},"#
        + #"{"section":"A","title":"A","indexTitle":"A","count":2,"#
        + #""totals":{"count":2,"sum(amount)":30},"rows":[{"id":1},{"id":2}]}],"#
        + #""totals":{"count":3,"sum(amount)":30}}"#)
    try await folder.execute("UPDATE item SET amount = 11 WHERE id = 1")
    #expect(
      await run.next()
        == #"{"event":"changes","version":1,"sections":{"delete":[],"insert":[],"#
        + #""update":[{"at":1,"section":"A","title":"A","totals":{"count":2,"sum(amount)":31}}]},"#
        + #""rows":{"delete":[],"insert":[],"move":[],"update":[]},"#
        + #""totals":{"count":3,"sum(amount)":31}}"#)
    try await folder.execute("UPDATE item SET kind = 'B' WHERE id = 3")
    #expect(
      await run.next()
        == #"{"event":"changes","version":2,"sections":{"delete":[0],"#
        + #""insert":[{"at":1,"section":"B","title":"B","totals":{"count":1,"sum(amount)":null}}],"#
        + #""update":[]},"rows":{"delete":[[0,0]],"insert":[{"to":[1,0],"row":{"id":3}}],"#
        + #""move":[],"update":[]}}"#)
    try await folder.execute("INSERT INTO item VALUES (4, 'B', 0.5, 1)")
    #expect(
      await run.next()?.hasSuffix(#","totals":{"count":4,"sum(amount)":31.5}}"#) == true)
    #expect(try await run.end().status == 0)
  }

  @Test func diffTellsTotals() async throws {
    try Connection(path: folder.file("new.db"), access: .readWrite)
      .execute(script: "UPDATE item SET amount = 11 WHERE id = 1")
    let arguments = ["diff", "a.db", "new.db", "item", "--columns", "id", "--by", "kind"]
    try await Tool.run(arguments + Self.totals + ["--format", "list"], in: folder).expect(
      """
      = A: sum(amount): 30 → 31
      = Total: sum(amount): 30 → 31

      """)
    try await Tool.run(arguments, in: folder).expect("")
  }
}
