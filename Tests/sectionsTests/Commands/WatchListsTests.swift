import Foundation
import TestProcesses
import Testing

/// `watch` of several lists, as a program reads it.
@Suite(.timeLimit(.minutes(20)), .enabled(if: OtherProcess.python != nil, "needs python3"))
struct WatchListsTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    try folder.makeDatabase(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, kind TEXT);
      INSERT INTO t VALUES (1, 'one', 'A'), (2, 'two', 'B');
      CREATE TABLE u(id INTEGER PRIMARY KEY, t INTEGER); INSERT INTO u VALUES (7, 1);
      """, journalMode: "WAL")
  }

  @Test func eventsNameTheirListAndComeTogether() async throws {
    let run = try WatchRun(["a.db", "t", "u", "--columns", "id", "--count", "2"], in: folder)
    #expect(
      await run.next()
        == #"{"event":"snapshot","list":"t","version":0,"sections":[{"section":null,"title":null,"#
        + #""indexTitle":null,"count":2,"rows":[{"id":1},{"id":2}]}]}"#)
    #expect(
      await run.next()
        == #"{"event":"snapshot","list":"u","version":0,"sections":[{"section":null,"title":null,"#
        + #""indexTitle":null,"count":1,"rows":[{"id":7}]}]}"#)
    try await folder.execute(
      "BEGIN; DELETE FROM t WHERE id = 1; INSERT INTO u VALUES (8, 2); COMMIT")
    #expect(
      await run.next()
        == #"{"event":"changes","list":"t","version":1,"sections":{"delete":[],"insert":[]},"#
        + #""rows":{"delete":[[0,0]],"insert":[],"move":[],"update":[]}}"#)
    #expect(
      await run.next()
        == #"{"event":"changes","list":"u","version":1,"sections":{"delete":[],"insert":[]},"#
        + #""rows":{"delete":[],"insert":[{"to":[0,1],"row":{"id":8}}],"move":[],"update":[]}}"#)
    // A list without changes is of the new version too.
    try await folder.execute("DELETE FROM u WHERE id = 7")
    #expect(
      await run.next()
        == #"{"event":"changes","list":"t","version":2,"sections":{"delete":[],"insert":[]},"#
        + #""rows":{"delete":[],"insert":[],"move":[],"update":[]}}"#)
    #expect(await run.next()?.contains(#""list":"u","version":2,"#) == true)
    #expect(try await run.end().status == 0)
  }

  @Test func aConfigurationNamesTheListsAndTheirOptions() async throws {
    try folder.write(
      """
      kinds:
        source: t
        by: kind
        sort: [name:desc]
        columns: [name, kind]
        total: count

      of one:
        source: SELECT * FROM u WHERE t = :t
        parameter: [t=1]
        key: id
      """, to: "lists.yaml")
    let run = try WatchRun(["a.db", "--config", "lists.yaml", "--until-change"], in: folder)
    #expect(
      await run.next()
        == #"{"event":"snapshot","list":"kinds","version":0,"sections":["#
        + #"{"section":"A","title":"A","indexTitle":"A","count":1,"totals":{"count":1},"#
        + #""rows":[{"name":"one","kind":"A"}]},"#
        + #"{"section":"B","title":"B","indexTitle":"B","count":1,"totals":{"count":1},"#
        + #""rows":[{"name":"two","kind":"B"}]}],"totals":{"count":2}}"#)
    #expect(await run.next()?.contains(#""list":"of one","version":0,"#) == true)
    try await folder.execute("UPDATE t SET name = 'uno' WHERE id = 1")
    #expect(await run.next()?.contains(#""list":"kinds","version":1,"#) == true)
    #expect(await run.next()?.contains(#""list":"of one","version":1,"#) == true)
    #expect(try await run.end().status == 0)
  }

  /// One row goes from one list to the other, again and again: in every version it is in one of them.
  @Test(arguments: ["WAL", "DELETE"])
  func aVersionIsNeverHalfACommit(journalMode: String) async throws {
    try folder.makeDatabase(
      """
      CREATE TABLE a(id INTEGER PRIMARY KEY); CREATE TABLE b(id INTEGER PRIMARY KEY);
      INSERT INTO a VALUES (1);
      """, named: "b.db", journalMode: journalMode)
    let run = try WatchRun(["b.db", "a", "b"], in: folder)
    var counts = [0, 0]
    for list in 0..<2 { counts[list] = try count(try #require(await run.next())) }
    #expect(counts == [1, 0])
    let script = """
      import sqlite3
      connection = sqlite3.connect("b.db", isolation_level=None, timeout=20)
      connection.execute("PRAGMA synchronous = OFF")
      for number in range(101):
        source, target = ("a", "b") if number % 2 == 0 else ("b", "a")
        connection.executescript(
          f"BEGIN IMMEDIATE; DELETE FROM {source}; INSERT INTO {target} VALUES ({number + 2}); COMMIT")
      """
    async let status = OtherProcess.run(script: script, in: folder)
    var isLast = false
    while !isLast {
      var versions: [Int] = []
      for list in 0..<2 {
        let event = try parse(try #require(await run.next()))
        versions.append(try #require(event["version"] as? Int))
        let rows = try #require(event["rows"] as? [String: [Any]])
        counts[list] += (rows["insert"]?.count ?? 0) - (rows["delete"]?.count ?? 0)
        isLast = isLast || "\(rows["insert"] ?? [])".contains("102")
      }
      #expect(versions[0] == versions[1])
      #expect(counts.reduce(0, +) == 1)
    }
    #expect(try await status == 0)
    run.send(SIGINT)
    #expect(try await run.end().status == 130)
  }

  private func parse(_ event: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(event.utf8)) as? [String: Any])
  }

  private func count(_ snapshot: String) throws -> Int {
    let sections = try #require(try parse(snapshot)["sections"] as? [[String: Any]])
    return try sections.reduce(0) { try $0 + #require($1["count"] as? Int) }
  }

  @Test func anErrorOfAListNamesItAndTheOthersContinue() async throws {
    let run = try WatchRun(["a.db", "t", "u", "--columns", "id", "--count", "3"], in: folder)
    for _ in 0..<2 { _ = await run.next() }
    try await folder.execute("BEGIN; DROP TABLE u; DELETE FROM t WHERE id = 1; COMMIT")
    #expect(await run.next()?.contains(#""list":"t","version":1,"#) == true)
    let error = await run.next()
    #expect(
      error?.hasPrefix(#"{"event":"error","list":"u","message":"u: there is no table"#) == true,
      "\(error ?? "")")
    // The error is not repeated.
    try await folder.execute("DELETE FROM t")
    #expect(await run.next()?.contains(#""list":"t","version":2,"#) == true)
    try await folder.execute(
      "BEGIN; CREATE TABLE u(id INTEGER PRIMARY KEY); INSERT INTO u VALUES (1); COMMIT")
    #expect(await run.next()?.contains(#""list":"t","version":3,"#) == true)
    #expect(await run.next()?.hasPrefix(#"{"event":"changes","list":"u","version":3,"#) == true)
    #expect(try await run.end().status == 0)
  }

  /// A sum that overflows stops the list of the sum, and no other.
  @Test func aSumThatOverflowsStopsItsListOnly() async throws {
    try folder.write(
      """
      sums: {source: t, columns: [id], total: sum(id)}
      plain: {source: t, columns: [name]}
      """, to: "lists.yaml")
    let run = try WatchRun(["a.db", "--config", "lists.yaml", "--count", "2"], in: folder)
    for _ in 0..<2 { _ = await run.next() }
    try await folder.execute("INSERT INTO t VALUES (9223372036854775807, 'large', 'A')")
    #expect(await run.next()?.hasPrefix(#"{"event":"changes","list":"plain","version":1,"#) == true)
    #expect(
      await run.next()?.hasPrefix(#"{"event":"error","list":"sums","message":"sums: "#) == true)
    try await folder.execute("DELETE FROM t WHERE name <> 'two'")
    #expect(
      await run.next()
        == #"{"event":"changes","list":"sums","version":2,"sections":{"delete":[],"insert":[],"#
        + #""update":[{"at":0,"section":null,"title":null,"totals":{"sum(id)":2}}]},"#
        + #""rows":{"delete":[[0,0]],"insert":[],"move":[],"update":[]},"totals":{"sum(id)":2}}"#)
    #expect(await run.next()?.hasPrefix(#"{"event":"changes","list":"plain","version":2,"#) == true)
    #expect(try await run.end().status == 0)
  }

  @Test func aSumThatOverflowsAtTheStartStopsItsListOnly() async throws {
    try await folder.execute("INSERT INTO t VALUES (9223372036854775807, 'large', 'A')")
    try folder.write(
      """
      plain: {source: t, columns: [name]}
      sums: {source: t, columns: [id], total: sum(id)}
      """, to: "lists.yaml")
    let run = try WatchRun(["a.db", "--config", "lists.yaml", "--count", "2"], in: folder)
    let first = await run.next()
    #expect(first?.hasPrefix(#"{"event":"snapshot","list":"plain","version":0,"#) == true)
    #expect(
      await run.next()?.hasPrefix(#"{"event":"error","list":"sums","message":"sums: "#) == true)
    try await folder.execute("DELETE FROM t WHERE name = 'large'")
    #expect(await run.next()?.hasPrefix(#"{"event":"changes","list":"plain","version":1,"#) == true)
    #expect(await run.next()?.hasPrefix(#"{"event":"reset","list":"sums","version":1,"#) == true)
    try await folder.execute("DELETE FROM t WHERE name = 'one'")
    #expect(await run.next()?.hasPrefix(#"{"event":"changes","list":"plain","version":2,"#) == true)
    #expect(await run.next()?.hasPrefix(#"{"event":"changes","list":"sums","version":2,"#) == true)
    #expect(try await run.end().status == 0)
  }

  /// A row is only read when it is shown.
  @Test func aRowThatCannotBeShownAtTheStartStopsItsListOnly() async throws {
    try await folder.execute(
      "INSERT INTO u VALUES (8, -9223372036854775808); ALTER TABLE u ADD COLUMN size AS (abs(t))")
    let run = try WatchRun(["a.db", "u", "t", "--count", "1"], in: folder)
    #expect(await run.next()?.hasPrefix(#"{"event":"snapshot","list":"t","version":0,"#) == true)
    let error = await run.next()
    #expect(
      error?.hasPrefix(#"{"event":"error","list":"u","message":"u: "#) == true, "\(error ?? "")")
    try await folder.execute("DELETE FROM u WHERE id = 8")
    #expect(await run.next()?.hasPrefix(#"{"event":"reset","list":"u","version":1,"#) == true)
    #expect(await run.next()?.hasPrefix(#"{"event":"changes","list":"t","version":1,"#) == true)
    #expect(try await run.end().status == 0)
  }

  @Test func ifNoListCanBeReadTheErrorNamesTheOneThatFailed() async throws {
    try await folder.execute(
      "INSERT INTO u VALUES (8, -9223372036854775808); ALTER TABLE u ADD COLUMN size AS (abs(t))")
    try folder.write(
      """
      first: {source: u, total: sum(size)}
      second: {source: u, by: size}
      """, to: "lists.yaml")
    let run = try WatchRun(["a.db", "--config", "lists.yaml"], in: folder)
    #expect(await run.next() == nil)
    let result = try await run.end()
    #expect(result.status == 65)
    #expect(result.stderr.contains("first: "), "\(result.stderr)")
  }

  /// The rows of a reset are read when it is shown.
  @Test func aRowThatCannotBeShownStopsItsListOnly() async throws {
    let run = try WatchRun(["a.db", "u", "t", "--count", "4"], in: folder)
    for _ in 0..<2 { _ = await run.next() }
    try await folder.execute(
      """
      BEGIN; INSERT INTO u VALUES (8, -9223372036854775808);
      ALTER TABLE u ADD COLUMN size AS (abs(t)); DELETE FROM t WHERE id = 1; COMMIT
      """)
    #expect(await run.next()?.contains(#""list":"t","version":1,"#) == true)
    let error = await run.next()
    #expect(
      error?.hasPrefix(#"{"event":"error","list":"u","message":"u: "#) == true, "\(error ?? "")")
    try await folder.execute("INSERT INTO t VALUES (3, 'three', 'C')")
    #expect(await run.next()?.contains(#""list":"t","version":2,"#) == true)
    try await folder.execute("DELETE FROM u WHERE id = 8")
    #expect(await run.next()?.hasPrefix(#"{"event":"reset","list":"u","version":3,"#) == true)
    #expect(await run.next()?.contains(#""list":"t","version":3,"#) == true)
    try await folder.execute("UPDATE u SET t = 5")
    #expect(await run.next()?.hasPrefix(#"{"event":"changes","list":"u","version":4,"#) == true)
    #expect(try await run.end().status == 0)
  }

  @Test(arguments: [
    (["a.db"], "name a source"), (["a.db", "t", "t"], "given twice"),
    (["a.db", "t", "-"], "standard input cannot be one of several"),
    (["a.db", "t", "--config", "lists.yaml"], "in the file"),
    (["a.db", "--by", "kind", "--config", "lists.yaml"], "in the file"),
  ])
  func mistakesAreRefused(_ arguments: [String], _ message: String) {
    Tool.parse(["watch"] + arguments).expectFailure(64, message)
  }

  @Test func aMistakeInAConfigurationIsReportedWithItsLine() async throws {
    try folder.write("t:\n  source: t\n  format: csv", to: "lists.yaml")
    try await Tool.run(["watch", "a.db", "--config", "lists.yaml"], in: folder)
      .expectFailure(65, "lists.yaml, line 3: there is no option format. The options are: source,")
  }

  @Test func aColumnThatIsMissingInAListOfAConfigurationIsReportedWithTheList() async throws {
    try folder.write("a: {source: t}\nb: {source: t, sort: nme}", to: "lists.yaml")
    try await Tool.run(["watch", "a.db", "--config", "lists.yaml"], in: folder)
      .expectFailure(65, "lists.yaml, b: there is no column nme in t")
  }

  @Test func aConfigurationThatIsNotThereIsReported() async throws {
    try await Tool.run(["watch", "a.db", "--config", "none.yaml"], in: folder)
      .expectFailure(66, "there is no such file: none.yaml")
  }
}
