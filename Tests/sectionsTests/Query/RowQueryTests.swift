import Testing

@testable import sections

/// Order, sections, conditions and windows.
@Suite(.timeLimit(.minutes(10))) struct RowQueryTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    try folder.makeDatabase(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, kind, name TEXT);
      INSERT INTO t VALUES (1, 'b', 'x'), (2, 'a', 'Y'), (3, NULL, 'z '), (4, 'B', 'z'), (5, '', NULL),
        (6, ' ', 'X');
      """)
  }

  private func query(_ arguments: String...) async throws -> Tool.Result {
    try await Tool.run(["query", "a.db", "t"] + arguments, in: folder)
  }

  /// The ids in the order they are printed.
  private func ids(_ arguments: String...) async throws -> String {
    let result = try await Tool.run(
      ["query", "a.db", "t", "--columns", "id", "--format", "csv"] + arguments, in: folder)
    #expect(result.status == 0, "\(result.stderr)")
    return result.lines.dropFirst().map { $0.split(separator: ",").last ?? "" }
      .joined(separator: " ")
  }

  @Test(arguments: [
    ("name", "5 6 2 1 4 3"), ("name:asc", "5 6 2 1 4 3"), ("name:desc", "3 4 1 2 6 5"),
    ("name:nocase", "5 1 6 2 4 3"), ("name:NOCASE:DESC", "3 4 2 1 6 5"),
    ("name:rtrim", "5 6 2 1 3 4"), ("name:nullslast", "6 2 1 4 3 5"),
    ("name:desc:nullsfirst", "5 3 4 1 2 6"), ("name:nullslast:desc:nocase", "3 4 2 1 6 5"),
    (" name : desc ", "3 4 1 2 6 5"), ("kind:nocase,name", "3 5 6 2 1 4"),
    ("kind:nocase:desc , name:desc", "4 1 2 6 5 3"),
  ])
  func aTermMayHaveEverySuffix(_ term: String, _ expected: String) async throws {
    #expect(try await ids("--sort", term) == expected)
  }

  @Test func termsMayBeRepeated() async throws {
    #expect(try await ids("--sort", "kind:nocase", "--sort", "name") == "3 5 6 2 1 4")
  }

  @Test func anInvalidTermIsReported() async throws {
    try await query("--sort", "name:down").expectFailure(64, "--sort name:down", "down", "desc")
    try await query("--sort", "nope").expectFailure(65, "no column nope in t", "id, kind, name")
    try await query("--sort", "nope:down").expectFailure(65, "no column nope in t")
    try await query("--sort", "name,,id").expectFailure(65, "no column \"\" in t")
    try await query("--sort", ":desc").expectFailure(65, "no column \"\" in t")
    try await query("--sort", "name:").expectFailure(64, "--sort name:", "\"\" is not one of")
  }

  @Test func namesMayHaveCommasAndColons() async throws {
    try folder.makeDatabase(
      """
      CREATE TABLE o("a,b", "x:desc", "a", "b:nocase" COLLATE RTRIM);
      INSERT INTO o VALUES (1, 2, 3, 'p'), (2, 1, 4, 'P');
      """, named: "odd.db")
    func odd(_ arguments: String...) async throws -> String {
      let result = try await Tool.run(
        ["query", "odd.db", "o", "--columns", "a,a,b"] + arguments, in: folder)
      #expect(result.status == 0, "\(result.stderr)")
      return result.stdout
    }
    #expect(try await odd("--sort", "a,b:desc,a") == "a\ta,b\n4\t2\n3\t1\n")
    #expect(try await odd("--sort", "x:desc") == "a\ta,b\n4\t2\n3\t1\n")
    #expect(try await odd("--sort", "x:desc:desc") == "a\ta,b\n3\t1\n4\t2\n")
    #expect(try await odd("--sort", "b:nocase,a") == "a\ta,b\n4\t2\n3\t1\n")
    #expect(try await odd("--sort", "b:nocase:nocase,a") == "a\ta,b\n3\t1\n4\t2\n")
    #expect(try await odd("--by", "a,b", "--sort", "a,b:desc").hasPrefix("section\ta\ta,b\n2\t"))
  }

  @Test func nullTheEmptyTextAndASpaceAreThreeSections() async throws {
    try await query("--by", "kind", "--columns", "id", "--format", "list").expect(
      """
      NULL (1)
        3

      "" (1)
        5

      " " (1)
        6

      B (1)
        4

      a (1)
        2

      b (1)
        1

      """)
    try await query("--by", "kind", "--columns", "id", "--limit", "3", "--format", "ndjson").expect(
      """
      {"section":null,"row":{"id":3}}
      {"section":"","row":{"id":5}}
      {"section":" ","row":{"id":6}}

      """)
  }

  @Test func theFirstTermMaySortTheSections() async throws {
    #expect(try await ids("--by", "kind", "--sort", "kind:desc,id") == "1 2 4 6 5 3")
    #expect(try await ids("--by", "KIND", "--sort", "Kind:nullslast") == "5 6 4 2 1 3")
    // Under NOCASE, b and B are one section.
    try await query("--by", "kind", "--sort", "kind:nocase:desc", "--columns", "id", "--limit", "2")
      .expect("section\tid\nb\t1\nb\t4\n")
  }

  @Test func sectionsMayBeMadeOfAnExpression() async throws {
    try await query("--by", "length(name)", "--columns", "id", "--format", "csv")
      .expect("section,id\n,5\n1,1\n1,2\n1,4\n1,6\n2,3\n")
    #expect(
      try await ids("--by", "length(name)", "--sort", "length(name):desc:nullsfirst,id:desc")
        == "5 3 6 4 2 1")
    #expect(
      try await ids("--by", "substr(name, 1, 1)", "--sort", "substr(name, 1, 1):nocase,id")
        == "5 1 6 2 3 4")
    #expect(
      try await ids("--by", "id > :n", "-p", "n=3", "--sort", "id:desc") == "3 2 1 6 5 4")
    try await query("--by", "nope").expectFailure(65, "there is no column nope in t")
    try await query("--by", "nope + 1").expectFailure(65, "no such column: nope")
    try await query("--by", "").expectFailure(65, "there is no column \"\" in t")
    let aggregate = try await query("--by", "count(*)")
    aggregate.expectFailure(65, "misuse of aggregate function count() — in: count(*)")
    #expect(!aggregate.stderr.contains("SELECT"))
    let parameter = try await query("--by", "id > :n", "-p", "m=1")
    parameter.expectFailure(65, "the parameter :n has no value. Add -p n=VALUE")
    try await query("--where", "id = ?").expectFailure(
      65, "the parameter ? has no value. Write :name in place of the ?, and add -p name=VALUE")
    try await Tool.run(["query", "a.db", "SELECT * FROM t WHERE id = ?"], in: folder).expectFailure(
      65, "the parameter ? has no value. Write :name in place of the ?, and add -p name=VALUE")
    try await query("--where", "id = ?1").expectFailure(
      65, "the parameter ?1 has a number. Write :name in place of the ?, and add -p name=VALUE")
    try await query("--by", "id > :n", "-p", "n=1", "-p", "m=1")
      .expectFailure(65, "the SQL has no parameter :m. The SQL has: :n")
    try await query("--by", "id > :n + :o", "-p", "n=1", "-p", "o=1", "-p", "m=1")
      .expectFailure(
        65, "the SQL has no parameter :m. The SQL has: :n, :o")
    try await query("--by", "1) , (2").expectFailure(65, "1) , (2")
  }

  @Test func windowsReachAcrossSections() async throws {
    try await query(
      "--by", "id % 2", "--sort", "id", "--columns", "id", "--offset", "2", "--limit", "3",
      "--format", "list"
    ).expect("0 (1)\n  6\n\n1 (2)\n  1\n  3\n")
    #expect(try await ids("--offset", "5") == "6")
    #expect(try await ids("--offset", "6").isEmpty)
    let most = String(Int.max)
    #expect(try await ids("--limit", most, "--offset", "4") == "5 6")
    #expect(try await ids("--limit", most, "--offset", most).isEmpty)
  }

  @Test func theIndexHasEachTitleOnce() async throws {
    try await query(
      "--by", "kind", "--sort", "kind:desc", "--columns", "id", "--index", "--limit", "3",
      "--format", "list"
    ).expect("Index: B A\n\nb (1)\n  1\n\na (1)\n  2\n\nB (1)\n  4\n")
  }

  @Test func columnsAreThoseAskedForAsTheSourceSpellsThem() async throws {
    try await query("--columns", "NAME, id,name", "--limit", "1")
      .expect("name\tid\tname\nx\t1\tx\n")
    try await query("--columns", "nope").expectFailure(65, "there is no column nope in t")
    try await query("--columns", "").expectFailure(65, "there is no column \"\" in t")
    // What is not printed can still be used.
    #expect(try await ids("--where", "name = 'z'", "--sort", "kind") == "4")
  }

  @Test func theClockAndChanceMayBeAsked() async throws {
    #expect(try await ids("--where", "datetime('now') > '2020'", "--limit", "1") == "1")
    #expect(try await ids("--where", "random() IS NOT NULL AND id < 3") == "1 2")
    let result = try await Tool.run(
      ["query", "a.db", "SELECT date('now') > '2020' AS a FROM t ORDER BY random() LIMIT 1"],
      in: folder)
    result.expect("a\n1\n")
  }

  /// Formats that show the number of rows first read them twice.
  @Test func rowsThatDifferEachTimeAreNotCounted() async throws {
    let select = """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
      SELECT abs(random()) % 50 AS chance FROM n
      """
    try await Tool.run(
      ["query", "a.db", select, "--by", "chance", "--format", "list"], in: folder
    ).expectFailure(65, "the SQL returns others each time. Use csv")
    let rows = try await Tool.run(
      ["query", "a.db", select, "--by", "chance", "--format", "csv"], in: folder)
    #expect(rows.status == 0)
    #expect(rows.lines.count == 10_000)
  }

  @Test func aRowIDWithoutANameCanBeAskedFor() async throws {
    try folder.makeDatabase(
      "CREATE TABLE t(n); INSERT INTO t VALUES ('a'), ('b')", named: "b.db")
    let result = try await Tool.run(
      ["query", "b.db", "t", "--columns", "rowid,n", "--sort", "ROWID:desc"], in: folder)
    result.expect("rowid\tn\n2\tb\n1\ta\n")
  }

  @Test(arguments: [
    ("1) OR (1", "1) OR (1"), ("1); DELETE FROM t; --", "DELETE"),
    ("1) GROUP BY (kind", "GROUP BY"), ("1) UNION SELECT 1 FROM (SELECT 1", "UNION"),
    ("1 /*", "1 /*"), ("nope = 1", "nope"),
    ("id = 1 ORDER BY id", "ORDER"), ("'", "'"), ("id = ?", "?"),
  ])
  func aConditionIsOneExpression(_ condition: String, _ part: String) async throws {
    let before = try folder.contents()
    try await query("--where", condition).expectFailure(65, part)
    #expect(try folder.contents() == before)
  }

  @Test func allConditionsMustBeTrue() async throws {
    #expect(try await ids("--where", "id < 3 OR id = 4 -- or so", "--where", "id > 1") == "2 4")
  }

  @Test(arguments: ["", " "])
  func anEmptyConditionIsRefused(_ condition: String) {
    Tool.parse(["query", "a.db", "t", "--where", condition])
      .expectFailure(64, "--where must be a condition")
  }

  @Test func aConditionMayEndInAComment() async throws {
    #expect(try await ids("--where", "id < 3 -- or so") == "1 2")
    #expect(try await ids("--where=-id > -3") == "1 2")
  }
}
