import CLibrary
import Foundation
import SQLiteStorage
import Testing

/// `log` as a program reads it, while another program writes.
@Suite(.timeLimit(.minutes(10)), .enabled(if: OtherProcess.python != nil, "needs python3"))
struct LogCommandTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func makeStore(journalMode: String = "WAL") throws {
    try folder.makeDatabase(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, kind TEXT);
      INSERT INTO t VALUES (1, 'one', 'A'), (2, 'two', 'A'), (3, 'three', 'B');
      CREATE TABLE other(x); INSERT INTO other VALUES (1);
      """, journalMode: journalMode)
  }

  /// A run that has begun.
  private func start(_ arguments: String...) async throws -> LogRun {
    let run = try LogRun(["a.db"] + arguments, in: folder)
    #expect(await run.next() == #"{"batch":0}"#)
    return run
  }

  /// A run whose lines are read without their times.
  private final class LogRun {
    let run: WatchRun

    init(_ arguments: [String], in folder: TestFolder) throws {
      run = try WatchRun(arguments, command: "log", in: folder)
    }

    func next() async -> String? {
      await run.next()?.replacing(#/,"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"/#, with: "")
    }
  }

  @Test func eachBatchIsALineWithTheRowsBeforeAndAfter() async throws {
    try makeStore()
    let run = try await start("--count", "2")
    try await folder.execute(
      """
      BEGIN; UPDATE t SET name = 'uno', kind = 'Z' WHERE id = 1; DELETE FROM t WHERE id = 2;
      INSERT INTO t VALUES (4, NULL, x'00'); INSERT INTO other VALUES (2); COMMIT
      """)
    #expect(
      await run.next()
        == #"{"batch":1,"commits":1,"changes":["#
        + #"{"table":"other","op":"insert","key":{"rowid":2},"new":{"x":2}},"#
        + #"{"table":"t","op":"update","key":{"id":1},"#
        + #""old":{"id":1,"name":"one","kind":"A"},"new":{"id":1,"name":"uno","kind":"Z"}},"#
        + #"{"table":"t","op":"delete","key":{"id":2},"old":{"id":2,"name":"two","kind":"A"}},"#
        + #"{"table":"t","op":"insert","key":{"id":4},"#
        + #""new":{"id":4,"name":null,"kind":{"base64":"AA=="}}}]}"#)
    try await folder.execute("CREATE INDEX by_name ON t(name)")
    #expect(
      await run.next()
        == #"{"batch":2,"commits":1,"schema":[{"op":"created","type":"index","name":"by_name","#
        + #""old_sql":null,"sql":"CREATE INDEX by_name ON t(name)"}],"changes":[]}"#)
    #expect(try await run.run.end().status == 0)
  }

  @Test func aFileInRollbackModeIsCompared() async throws {
    try makeStore(journalMode: "DELETE")
    let run = try await start("t", "--count", "1")
    try await folder.execute("UPDATE t SET name = 'x' WHERE id = 3")
    #expect(
      await run.next()
        == #"{"batch":1,"commits":null,"gap":{"reason":"the database is not in WAL mode","bridged":true},"#
        + #""changes":[{"table":"t","op":"update","key":{"id":3},"#
        + #""old":{"id":3,"name":"three","kind":"B"},"new":{"id":3,"name":"x","kind":"B"}}]}"#)
  }

  @Test func aGapCanEndTheLog() async throws {
    try makeStore(journalMode: "DELETE")
    let run = try await start("t", "--on-gap", "fail")
    try await folder.execute("DELETE FROM t")
    #expect(await run.next() == nil)
    let end = try await run.run.end()
    #expect(end.status == 65)
    #expect(end.stderr.contains("there is a gap: the database is not in WAL mode"))
  }

  @Test func onlyTheColumnsThatAreAskedForArePrinted() async throws {
    try makeStore()
    let run = try await start("--except", "other", "--columns", "kind", "--count", "1")
    try await folder.execute("UPDATE t SET name = 'x' WHERE id = 1")
    try await Task.sleep(for: .milliseconds(100))
    try await folder.execute("UPDATE t SET kind = 'C', name = 'y' WHERE id = 1; DELETE FROM other")
    let line = await run.next()
    #expect(line?.hasSuffix(#""old":{"kind":"A"},"new":{"kind":"C"}}]}"#) == true, "\(line ?? "")")
  }

  @Test func namesMayHaveCommas() async throws {
    try makeStore()
    try await folder.execute(#"CREATE TABLE "a,b"(x); CREATE TABLE c("d,e", f)"#)
    let run = try await start("--except", "OTHER, a,b", "--columns", "kind,d,e", "--count", "1")
    try await folder.execute(#"INSERT INTO "a,b" VALUES (1); INSERT INTO other VALUES (2)"#)
    try await Task.sleep(for: .milliseconds(100))
    try await folder.execute("INSERT INTO c VALUES (1, 2)")
    let line = await run.next()
    #expect(line?.hasSuffix(#""new":{"d,e":1}}]}"#) == true, "\(line ?? "")")
  }

  @Test func onlyRowsOfWhichTheConditionIsTrueArePrinted() async throws {
    try makeStore()
    let run = try await start("t", "--where", "kind = 'A'", "--where", "id < 9", "--count", "2")
    try await folder.execute("UPDATE t SET name = 'x' WHERE kind = 'B'")
    try await folder.execute(
      "UPDATE t SET kind = CASE id WHEN 1 THEN 'B' ELSE 'A' END WHERE id <> 2")
    let first = await run.next() ?? ""
    #expect(first.contains(#""old":{"id":1,"name":"one","kind":"A"}"#), "\(first)")
    #expect(first.contains(#""new":{"id":3,"name":"x","kind":"A"}"#), "\(first)")
    try await folder.execute("INSERT INTO t VALUES (9, 'nine', 'A'), (8, 'eight', 'A')")
    let second = await run.next() ?? ""
    #expect(second.contains("eight") && !second.contains("nine"), "\(second)")
    #expect(try await run.run.end().status == 0)
  }

  @Test(
    arguments: [
      (["nothing"], 65, "there is no table or view nothing"),
      (["--columns", "nothing"], 65, "no table has a column nothing"),
      (["--columns", "id,nothing"], 65, "no table has a column nothing"),
      (["--except", "othr"], 65, "there is no table or view othr. The database has: other, t"),
      (["--where", "kind = 'A'"], 65, "does not fit table other: no such column: kind"),
      (["--since", "missing.db"], 66, "missing.db"),
    ] as [([String], Int32, String)])
  func whatCannotBeFollowedIsAnError(
    arguments: [String], status: Int32, message: String
  ) async throws {
    try makeStore()
    let result = try await Tool.run(["log", "a.db"] + arguments, in: folder)
    #expect(result.status == status)
    #expect(result.stderr.contains(message), "\(result.stderr)")
  }

  @Test(
    arguments: [
      (["--where", " "], "--where must be a condition"),
      (["--where", "id = 1", "--format", "sql"], "--where cannot be printed as sql"),
      (["--count", "0"], "--count must be"),
      (["--since", "b.db", "--state", "c"], "together"),
      (["--state", "a.db"], "--state must be another file"),
      (["--state", "./b/../a.db"], "--state must be another file"),
      (["--exec", "true", "--format", "sql"], "--exec gets ndjson"),
    ] as [([String], String)])
  func optionsThatDoNotFitAreRefused(_ arguments: [String], message: String) {
    Tool.parse(["log", "a.db"] + arguments).expectFailure(64, message)
  }

  @Test func linesForPeopleShowWhatHasChanged() async throws {
    try makeStore()
    _ = try folder.makeDatabase(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, kind TEXT);
      INSERT INTO t VALUES (1, 'uno', 'A'), (3, 'three', 'B'), (4, 'four', NULL);
      """, named: "b.db", journalMode: "WAL")
    let result = try await Tool.run(
      ["log", "b.db", "--since", "a.db", "--format", "list", "--count", "1"], in: folder)
    #expect(result.status == 0, "\(result.stderr)")
    #expect(
      result.lines.dropFirst() == [
        "# dropped table other", "= t 1: name one → uno", "- t 2: id 2 · name two · kind A",
        "+ t 4: id 4 · name four · kind NULL", "- other 1: x 1",
      ], "\(result.stdout)")
  }

  @Test func aCommandGetsEachBatchAndEndsTheLogIfItFails() async throws {
    try makeStore()
    let run = try WatchRun(
      ["a.db", "t", "--exec", "cat >> got.ndjson; ! grep -q stop got.ndjson"], command: "log",
      in: folder)
    let path = folder.file("got.ndjson")
    func lines() -> Int {
      ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n").count
    }
    // The log says nothing when it begins, so the first change is made until it is seen.
    var number = 0
    while lines() == 0 {
      number += 1
      try await folder.execute("UPDATE t SET name = 'n\(number)' WHERE id = 1")
      try await Task.sleep(for: .milliseconds(50))
    }
    let seen = lines()
    try await folder.execute("UPDATE t SET name = 'stop' WHERE id = 1")
    let end = try await run.end()
    #expect(lines() > seen || number > 1)
    #expect(end.status == 74)
    #expect(end.stderr.contains("the command ended with status 1 at batch"), "\(end.stderr)")
  }

  @Test func whatHappensBetweenTwoRunsIsPrintedFromTheState() async throws {
    try makeStore()
    let first = try await start("--state", "kept.db", "--count", "2")
    try await folder.execute("UPDATE t SET name = 'x' WHERE id = 1")
    #expect(await first.next() != nil)
    try await folder.execute(
      "BEGIN; CREATE TABLE more(a PRIMARY KEY); INSERT INTO more VALUES ('m'); COMMIT")
    #expect(await first.next() != nil)
    #expect(try await first.run.end().status == 0)
    try await folder.execute("UPDATE t SET name = 'y' WHERE id = 1; DELETE FROM more")
    let second = try await start("--state", "kept.db", "--count", "1")
    #expect(
      await second.next()
        == #"{"batch":1,"commits":null,"changes":[{"table":"more","op":"delete","key":{"a":"m"},"#
        + #""old":{"a":"m"}},{"table":"t","op":"update","key":{"id":1},"#
        + #""old":{"id":1,"name":"x","kind":"A"},"new":{"id":1,"name":"y","kind":"A"}}]}"#)
    #expect(try await second.run.end().status == 0)
    let kept = try Connection(path: folder.file("kept.db"), access: .readOnly)
    #expect(try kept.value(String.self, "SELECT name FROM t WHERE id = 1") == "y")
    #expect(try kept.value(Int.self, "SELECT count(*) FROM more") == 0)
  }

  @Test(arguments: ["WAL", "DELETE"])
  func anotherFileInThePlaceOfTheFirstIsCompared(journalMode: String) async throws {
    try makeStore(journalMode: journalMode)
    let run = try await start("t", "--count", "1")
    try folder.makeDatabase(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, kind TEXT);
      INSERT INTO t VALUES (1, 'one', 'A'), (2, 'zwei', 'A'), (3, 'three', 'B');
      """, named: "new.db", journalMode: journalMode)
    let (old, new) = (folder.file("a.db"), folder.file("new.db"))
    for suffix in ["-wal", "-shm"] { unlink(old + suffix) }
    #expect(rename(new, old) == 0)
    let line = await run.next() ?? ""
    #expect(line.contains("another file took its place"), "\(line)")
    let isBridged = line.contains(#""bridged":true"#)
    #expect(line.contains("zwei") == isBridged, "\(line)")
  }

  @Test func anotherFileNeedNotHaveTheColumnsThatAreAskedFor() async throws {
    try makeStore()
    let run = try await start("--columns", "kind", "--count", "2")
    try folder.makeDatabase(
      "CREATE TABLE t(id INTEGER PRIMARY KEY)", named: "new.db", journalMode: "WAL")
    let (old, new) = (folder.file("a.db"), folder.file("new.db"))
    for suffix in ["-wal", "-shm"] { unlink(old + suffix) }
    #expect(rename(new, old) == 0)
    let line = await run.next() ?? ""
    #expect(line.contains("another file took its place"), "\(line)")
    try await folder.execute("CREATE TABLE more(kind)")
    #expect(await run.next()?.contains("more") == true)
    #expect(try await run.run.end().status == 0)
  }

  @Test func statementsMakeACopyTheNewVersion() async throws {
    try makeStore()
    try await folder.execute("VACUUM INTO 'copy.db'")
    try await folder.execute(
      """
      BEGIN; UPDATE t SET name = 'it''s', kind = NULL WHERE id = 1; DELETE FROM t WHERE id = 2;
      INSERT INTO t VALUES (4, 'four' || char(0) || 'x', x'00ff'); UPDATE other SET x = 1.5;
      CREATE TABLE more(a PRIMARY KEY) WITHOUT ROWID; INSERT INTO more VALUES ('m'); COMMIT
      """)
    let result = try await Tool.run(
      ["log", "a.db", "--since", "copy.db", "--format", "sql", "--count", "1"], in: folder)
    #expect(result.status == 0, "\(result.stderr)")
    let copy = try Connection(path: folder.file("copy.db"))
    try copy.execute(script: result.stdout)
    let file = try Connection(path: folder.file("a.db"))
    for table in ["t", "other", "more"] {
      let sql = SQL(verbatim: "SELECT * FROM \(table) ORDER BY 1")
      #expect(try copy.rows(sql) == file.rows(sql))
    }
  }

  @Test func aChangesetComesAfterItsLength() async throws {
    try makeStore()
    try await folder.execute("VACUUM INTO 'copy.db'; UPDATE t SET name = 'x' WHERE id = 1")
    let result = try await Tool.shell(
      """
      "$sections" log a.db t --since copy.db --format changeset --count 1 | od -An -v -tx1
      """, in: folder)
    let bytes = result.stdout.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    // The length; the table with three columns, of which the first is the key; an update.
    #expect(
      bytes == "00 00 00 00 00 00 00 1d 54 03 01 00 00 74 00 17 00 "
        + "01 00 00 00 00 00 00 00 01 03 03 6f 6e 65 00 00 03 01 78 00", "\(result.stderr)")
  }

  /// The example of Documentation/Tool.md.
  @Test func theManualShowsWhatIsPrinted() async throws {
    let path = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Documentation/Tool.md")
    let manual = try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
    let example = manual.drop { !$0.hasPrefix("$ sections log library.db") }
      .prefix { $0 != "```" }.map(String.init)
    // Only a terminal shows what is followed, before the first batch.
    let batch = example.drop { !$0.hasPrefix("1 · ") }
    let command = try #require(example.first)
    let script = "CREATE TABLE track(id INTEGER PRIMARY KEY, name TEXT, genre TEXT);"
    try folder.makeDatabase(
      script + "INSERT INTO track VALUES (1, 'Blue', 'Jazz'), (3, 'Zoo', 'Rock')",
      named: "yesterday.db", journalMode: "WAL")
    try folder.makeDatabase(
      script
        + """
        INSERT INTO track VALUES (1, 'Blue in Green', 'Jazz'), (6, 'So What', NULL);
        CREATE INDEX by_name ON track(name);
        """, named: "library.db", journalMode: "WAL")
    let arguments = command.split(separator: " ").dropFirst(2).map(String.init)
    let result = try await Tool.run(arguments, in: folder)
    #expect(result.lines.dropFirst() == batch.dropFirst(), "\(result.stdout)\(result.stderr)")
  }
}
