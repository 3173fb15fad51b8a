import CLibrary
import Foundation
import Testing

/// `watch` as a program reads it, while another program writes.
@Suite(.timeLimit(.minutes(10)), .enabled(if: OtherProcess.python != nil, "needs python3"))
struct WatchCommandTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func makeStore(journalMode: String = "WAL") throws {
    try folder.makeDatabase(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, kind TEXT);
      INSERT INTO t VALUES (1, 'one', 'A'), (2, 'two', 'A'), (3, 'three', 'B');
      """, journalMode: journalMode)
  }

  @Test(arguments: ["WAL", "DELETE"])
  func changesCarryOldRowsIfAsked(journalMode: String) async throws {
    try makeStore(journalMode: journalMode)
    let run = try WatchRun(
      ["a.db", "t", "--by", "kind", "--sort", "name", "--old", "--count", "1"], in: folder)
    #expect(await run.next()?.contains("old") == false)
    try await folder.execute(
      """
      BEGIN; UPDATE t SET name = 'uno' WHERE id = 1; UPDATE t SET kind = 'B' WHERE id = 2;
      DELETE FROM t WHERE id = 3; INSERT INTO t VALUES (4, 'four', 'A'); COMMIT
      """)
    #expect(
      await run.next()
        == #"{"event":"changes","version":1,"sections":{"delete":[],"insert":[]},"rows":{"#
        + #""delete":[{"at":[1,0],"old":{"id":3,"name":"three","kind":"B"}}],"#
        + #""insert":[{"to":[0,0],"row":{"id":4,"name":"four","kind":"A"}}],"#
        + #""move":[{"from":[0,1],"to":[1,0],"row":{"id":2,"name":"two","kind":"B"},"#
        + #""old":{"id":2,"name":"two","kind":"A"}}],"#
        + #""update":[{"at":[0,0],"to":[0,1],"row":{"id":1,"name":"uno","kind":"A"},"#
        + #""old":{"id":1,"name":"one","kind":"A"}}]}}"#)
    #expect(try await run.end().status == 0)
  }

  @Test func oldRowsNeedEvents() async throws {
    try makeStore()
    let result = try await Tool.run(
      ["watch", "a.db", "t", "--old", "--format", "table"], in: folder)
    #expect(result.status == 64)
    #expect(result.stderr.contains("--old needs events: use --format ndjson"))
  }

  @Test(arguments: ["WAL", "DELETE"])
  func eventsAreExact(journalMode: String) async throws {
    try makeStore(journalMode: journalMode)
    let run = try WatchRun(
      ["a.db", "t", "--by", "kind", "--sort", "name", "--count", "4"], in: folder)
    #expect(
      await run.next()
        == #"{"event":"snapshot","version":0,"sections":["#
        + #"{"section":"A","title":"A","indexTitle":"A","count":2,"rows":["#
        + #"{"id":1,"name":"one","kind":"A"},{"id":2,"name":"two","kind":"A"}]},"#
        + #"{"section":"B","title":"B","indexTitle":"B","count":1,"rows":["#
        + #"{"id":3,"name":"three","kind":"B"}]}]}"#)
    try await folder.execute("UPDATE t SET name = 'ONE' WHERE id = 1")
    #expect(
      await run.next()
        == #"{"event":"changes","version":1,"sections":{"delete":[],"insert":[]},"#
        + #""rows":{"delete":[],"insert":[],"move":[],"#
        + #""update":[{"at":[0,0],"to":[0,0],"row":{"id":1,"name":"ONE","kind":"A"}}]}}"#)
    try await folder.execute("DELETE FROM t WHERE kind = 'B'")
    #expect(
      await run.next()
        == #"{"event":"changes","version":2,"sections":{"delete":[1],"insert":[]},"#
        + #""rows":{"delete":[[1,0]],"insert":[],"move":[],"update":[]}}"#)
    try await folder.execute("INSERT INTO t VALUES (4, 'four', '0')")
    #expect(
      await run.next()
        == #"{"event":"changes","version":3,"#
        + #""sections":{"delete":[],"insert":[{"at":0,"section":"0","title":"0"}]},"#
        + #""rows":{"delete":[],"insert":[{"to":[0,0],"row":{"id":4,"name":"four","kind":"0"}}],"#
        + #""move":[],"update":[]}}"#)
    try await folder.execute("UPDATE t SET kind = '0' WHERE id = 2")
    #expect(
      await run.next()
        == #"{"event":"changes","version":4,"sections":{"delete":[],"insert":[]},"#
        + #""rows":{"delete":[],"insert":[],"#
        + #""move":[{"from":[1,1],"to":[0,1],"row":{"id":2,"name":"two","kind":"0"}}],"#
        + #""update":[]}}"#)
    let end = try await run.end()
    #expect(end.status == 0)
    #expect(end.stderr == "")
  }

  @Test func whatChangesNothingIsNoEvent() async throws {
    try makeStore()
    let run = try WatchRun(["a.db", "t", "--columns", "id,kind", "--until-change"], in: folder)
    _ = await run.next()
    try await folder.execute(
      """
      UPDATE t SET kind = kind;
      UPDATE t SET name = 'not among the columns';
      BEGIN; DELETE FROM t; ROLLBACK;
      BEGIN; INSERT INTO t VALUES (9, 'x', 'y'); DELETE FROM t WHERE id = 9; COMMIT;
      CREATE TABLE other(a); INSERT INTO other VALUES (1);
      PRAGMA wal_checkpoint(TRUNCATE);
      """)
    try await folder.execute("VACUUM")
    try await folder.execute("DELETE FROM t WHERE id = 1")
    let event = await run.next()
    #expect(event?.hasPrefix(#"{"event":"changes","version":1,"#) == true, "\(event ?? "")")
    #expect(event?.contains(#""delete":[[0,0]],"#) == true)
    #expect(await run.next() == nil)
    #expect(try await run.end().status == 0)
  }

  @Test(arguments: ["WAL", "DELETE"])
  func replayedEventsAreTheResult(journalMode: String) async throws {
    let seed = UInt64.random(in: 0...9_999)
    try folder.makeDatabase(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, kind INTEGER)", journalMode: journalMode)
    let source = ["a.db", "t", "--by", "kind", "--sort", "name", "--limit", "12"]
    let run = try WatchRun(source, in: folder)
    var replay = EventReplay()
    try replay.apply(try #require(await run.next()))
    let script = """
      import random, sqlite3, sys
      random.seed(int(sys.argv[1]))
      connection = sqlite3.connect("a.db", isolation_level=None, timeout=10)
      connection.execute("PRAGMA synchronous = OFF")
      number = lambda: random.randrange(20)
      for _ in range(60):
        connection.execute("BEGIN IMMEDIATE")
        for _ in range(random.randrange(1, 5)):
          connection.execute(*random.choice([
            ("INSERT OR REPLACE INTO t VALUES (?, ?, ?)", (number(), str(number()), number() % 4)),
            ("UPDATE t SET name = ? WHERE id = ?", (str(number()), number())),
            ("UPDATE t SET kind = ? WHERE id = ?", (number() % 4, number())),
            ("DELETE FROM t WHERE id = ?", (number(),)),
          ]))
        connection.execute(random.choice(["COMMIT", "COMMIT", "COMMIT", "ROLLBACK"]))
      connection.execute("INSERT INTO t VALUES (99, 'last', -1)")
      """
    #expect(try await OtherProcess.run(script: script, "\(seed)", in: folder) == 0)
    while replay.sections.first?.key != "-1" {
      try replay.apply(try #require(await run.next(), "seed \(seed)"))
    }
    run.send(SIGINT)
    _ = try await run.end()
    let query = try await Tool.run(["query"] + source + ["--format", "json"], in: folder)
    #expect(try replay == EventReplay(json: query.stdout), "seed \(seed)")
  }

  @Test func errorsAreEventsAndWatchingContinues() async throws {
    try makeStore()
    let run = try WatchRun(["a.db", "t", "--columns", "id", "--count", "2"], in: folder)
    _ = await run.next()
    try await folder.execute("DROP TABLE t")
    let error = await run.next()
    #expect(error?.hasPrefix(#"{"event":"error","message":"there is no table"#) == true)
    try await folder.execute(
      "BEGIN; CREATE TABLE t(id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1); COMMIT")
    #expect(
      await run.next()
        == #"{"event":"changes","version":1,"sections":{"delete":[],"insert":[]},"#
        + #""rows":{"delete":[[0,2],[0,1]],"insert":[],"move":[],"update":[]}}"#)
    try await folder.execute("INSERT INTO t VALUES (2)")
    #expect(await run.next()?.contains(#""insert":[{"to":[0,1],"row":{"id":2}}]"#) == true)
    #expect(try await run.end().status == 0)
  }

  @Test func anotherFileIsAnErrorAndAReset() async throws {
    try makeStore(journalMode: "DELETE")
    try folder.makeDatabase(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO t VALUES (7, 'new')",
      named: "b.db")
    let run = try WatchRun(["a.db", "t", "--count", "2"], in: folder)
    _ = await run.next()
    try #require(rename(folder.file("b.db"), folder.file("a.db")) == 0)
    #expect(
      await run.next()
        == #"{"event":"error","message":"the file was replaced or removed: a.db"}"#)
    #expect(
      await run.next()
        == #"{"event":"reset","version":1,"sections":[{"section":null,"title":null,"#
        + #""indexTitle":null,"count":1,"rows":[{"id":7,"name":"new"}]}]}"#)
    try await folder.execute("DELETE FROM t")
    #expect(await run.next()?.contains(#""version":2,"#) == true)
    #expect(try await run.end().status == 0)
  }

  @Test func otherColumnsAreAReset() async throws {
    try makeStore()
    let run = try WatchRun(["a.db", "t", "--limit", "1", "--until-change"], in: folder)
    _ = await run.next()
    try await folder.execute("ALTER TABLE t ADD COLUMN extra DEFAULT 7")
    #expect(
      await run.next()
        == #"{"event":"reset","version":1,"sections":[{"section":null,"title":null,"#
        + #""indexTitle":null,"count":1,"rows":["#
        + #"{"id":1,"name":"one","kind":"A","extra":7}]}]}"#)
    #expect(try await run.end().status == 0)
  }

  @Test func aKeyDistinguishesRowsThatHaveOnlyNumbers() async throws {
    try makeStore()
    let select = ["a.db", "SELECT name, id FROM t", "--sort", "id", "--until-change"]
    let byNumber = try WatchRun(select, in: folder)
    let byKey = try WatchRun(select + ["--key", "id"], in: folder)
    _ = await byNumber.next()
    _ = await byKey.next()
    try await folder.execute("INSERT INTO t VALUES (0, 'nought', 'A')")
    #expect(
      await byKey.next()?.contains(
        #""insert":[{"to":[0,0],"row":{"name":"nought","id":0}}],"move":[],"update":[]"#) == true)
    #expect(await byNumber.next()?.contains(#""insert":[{"to":[0,"#) == true)
    #expect(try await byKey.end().status == 0)
    #expect(try await byNumber.end().status == 0)
  }

  @Test(arguments: ["WAL", "DELETE"])
  func theDatabaseIsNotChanged(journalMode: String) async throws {
    try makeStore(journalMode: journalMode)
    let before = try folder.contents()
    let run = try WatchRun(["a.db", "t"], in: folder)
    _ = await run.next()
    run.send(SIGTERM)
    _ = try await run.end()
    #expect(try folder.contents()["a.db"] == before["a.db"])
    #expect(try folder.temporaryFiles() == [])
  }

  @Test func aDeletedRowOfAThousandWithoutAKeyIsOneEvent() async throws {
    try makeStore()
    try await folder.execute(
      """
      WITH RECURSIVE i(x) AS (SELECT 100 UNION ALL SELECT x + 1 FROM i WHERE x < 1099)
      INSERT INTO t SELECT x, 'same', x % 5 FROM i
      """)
    let run = try WatchRun(
      ["a.db", "SELECT name, kind FROM t", "--sort", "name", "--until-change"], in: folder)
    _ = await run.next()
    try await folder.execute("DELETE FROM t WHERE id = 100")
    let event = try #require(await run.next())
    let pattern = /"delete":\[\[0,\d+\]\],"insert":\[\],"move":\[\],"update":\[\]/
    #expect(event.contains(pattern), "\(event)")
    #expect(try await run.end().status == 0)
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func aSignalEndsIt(signal: Int32) async throws {
    try makeStore()
    let run = try WatchRun(["a.db", "t"], in: folder)
    _ = await run.next()
    run.send(signal)
    let end = try await run.end()
    #expect(end.status == 128 + signal)
    #expect(end.stderr == "")
  }

  @Test func aReaderThatLeavesEndsIt() async throws {
    try makeStore()
    let result = try await Tool.shell(
      "{ \"$sections\" watch a.db t; echo $? >&2; } | head -n 1", in: folder)
    #expect(result.lines.count == 1)
    #expect(result.stderr == "0\n")
  }

  @Test(arguments: [
    ["--count", "0"], ["--count", "1", "--until-change"], ["--format", "csv"],
  ])
  func mistakesAreRefused(arguments: [String]) {
    Tool.parse(["watch", "a.db", "t"] + arguments).expectFailure(64)
  }

  @Test func aTableNeedsATerminal() async throws {
    try makeStore()
    try await Tool.run(["watch", "a.db", "t", "--format", "table"], in: folder).expectFailure(64)
  }

  @Test func whatCannotBeFetchedAtFirstEndsIt() async throws {
    try makeStore()
    try await Tool.run(["watch", "a.db", "none"], in: folder)
      .expectFailure(65, "none", "The database has")
    try await Tool.run(["watch", "a.db", "t", "--key", "kind"], in: folder)
      .expectFailure(65, "kind")
  }
}
