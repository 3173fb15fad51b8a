import Foundation
import SQLiteStorage
import Testing

@Suite struct ConnectionTests {
  @Test func lengthsAreLimited() throws {
    let store = try TestConnection()
    store.connection.limitLengths(ofValue: 1_000, pattern: 20)
    let value = databaseError { try store.connection.execute("SELECT zeroblob(1001)") }
    #expect(value.map { .tooBig ~= $0.resultCode } == true)
    #expect(try store.connection.value(Int.self, "SELECT length(zeroblob(900))") == 900)
    let pattern = String(repeating: "a", count: 21)
    let like = databaseError { try store.connection.execute("SELECT 'b' LIKE \(pattern)") }
    #expect(like?.message == "LIKE or GLOB pattern too complex")
    #expect(try store.connection.value(Int.self, "SELECT 'a' LIKE 'A'") == 1)
  }

  // MARK: - Opening

  @Test func aMissingFileIsOpenedOnlyWhereItMayBeCreated() throws {
    let folder = try TestFolder()
    for access in [Connection.Access.readWrite, .readOnly, .immutable] {
      let error = databaseError { _ = try Connection(path: folder.file(), access: access) }
      #expect(error.map { .cannotOpen ~= $0.resultCode } == true)
      #expect(error?.message.contains(folder.file()) == true)
    }
    #expect(try folder.contents().isEmpty)
    _ = try Connection(path: folder.file(), access: .readWriteCreate)
    #expect(try folder.contents() == ["store.sqlite"])
  }

  @Test(arguments: ["", "a\u{0}b"]) func aPathThatNamesNoFileIsRefused(_ path: String) {
    let error = databaseError { _ = try Connection(path: path, access: .readWriteCreate) }
    #expect(error?.resultCode == .cannotOpen)
    #expect(error?.message.contains("path") == true)
  }

  static let fileNames = [
    "two words", "quo\"te", "apo'strophe", "[bracket]", "why?", "ha#sh", "100%", "%41", "a&b=c",
    "Ärger 🙂", "file:x", ":memory:", "file:x?mode=memory", "semi;colon", "back\\slash", "new\nline",
    "?immutable=1",
  ]

  @Test(arguments: fileNames) func anyNameIsTheNameOfTheFile(_ name: String) throws {
    let folder = try TestFolder()
    try folder.makeStore(name, journalMode: "DELETE")
    #expect(try folder.contents() == [name])
    for access in [Connection.Access.readWrite, .readOnly, .immutable] {
      let connection = try Connection(path: folder.file(name), access: access)
      #expect(try connection.value(Int.self, "SELECT count(*) FROM item") == 3)
    }
    #expect(try folder.contents() == [name])
  }

  @Test func aPathThatBeginsWithTwoSlashesHasNoHost() throws {
    let folder = try TestFolder()
    let path = try folder.makeStore(journalMode: "DELETE")
    let connection = try Connection(path: "/" + path, access: .immutable)
    #expect(try connection.value(Int.self, "SELECT count(*) FROM item") == 3)
  }

  @Test(arguments: ["file:relative #1?.sqlite", ":memory:", "relative.sqlite"])
  func aRelativePathIsOneInTheCurrentFolder(_ name: String) async throws {
    let folder = try TestFolder()
    // The current folder belongs to the whole process, so another one is used.
    await #expect(processExitsWith: .success) {
      [path = folder.path as String, name = name as String] in
      #expect(FileManager.default.changeCurrentDirectoryPath(path))
      let writer = try Connection(path: name, access: .readWriteCreate)
      try writer.execute("CREATE TABLE t(x)")
      for access in [Connection.Access.readOnly, .immutable] {
        let reader = try Connection(path: name, access: access)
        #expect(try reader.table(named: "t") != nil)
      }
    }
    #expect(try folder.contents() == [name])
  }

  // MARK: - Hardening

  @Test func extensionsCannotBeLoaded() throws {
    let store = try TestConnection()
    let error = databaseError { try store.connection.execute("SELECT load_extension('x')") }
    #expect(error?.message == "not authorized")
  }

  @Test func theSchemaCannotBeWritten() throws {
    let store = try TestConnection("CREATE TABLE t(x)")
    #expect(try store.connection.value(Int.self, "PRAGMA cell_size_check") == 1)
    try store.connection.execute("PRAGMA writable_schema = ON")
    let error = databaseError {
      try store.connection.execute("UPDATE sqlite_schema SET sql = 'x'")
    }
    #expect(error?.message == "table sqlite_master may not be modified")
  }

  /// SQLite 3.40 refuses such a file if its schema is not trusted.
  @Test func aSchemaMayCallJSONFunctions() throws {
    let store = try TestConnection()
    try store.connection.execute(
      script: """
        CREATE TABLE d(id INTEGER PRIMARY KEY, d TEXT CHECK(json_valid(d)), a AS (d->>'$.a'));
        CREATE INDEX i ON d(json_extract(d, '$.b'));
        CREATE VIEW v AS SELECT json_type(d) AS type FROM d;
        CREATE TABLE other(x);
        INSERT INTO d(d) VALUES ('{"a": 1, "b": 2}');
        """)
    let other = try Connection(path: store.folder.file(), access: .readOnly)
    #expect(try other.value(Int.self, "SELECT a FROM d") == 1)
    #expect(try other.value(String.self, "SELECT type FROM v") == "object")
    #expect(try other.value(Int.self, "SELECT count(*) FROM other") == 0)
  }

  @Test(arguments: ["load_extension('x')", "fts3_tokenizer('simple')"])
  func aViewCannotCallAFunctionWithSideEffects(call: String) throws {
    let store = try TestConnection()
    try store.connection.execute(script: "CREATE VIEW v AS SELECT \(call) AS x")
    let error = databaseError { try store.connection.execute("SELECT x FROM v") }
    #expect(error?.message.hasPrefix("unsafe use of") == true)
  }

  @Test func aViewCannotCallAFunctionOfTheProgram() throws {
    let store = try TestConnection()
    try store.connection.register(ScalarFunction("secret", argumentCount: 0) { _ in 42 })
    #expect(try store.connection.value(Int.self, "SELECT secret()") == 42)
    let other = try Connection(path: store.folder.file())
    try other.execute("CREATE VIEW v AS SELECT secret() AS x")
    try other.execute("CREATE TABLE t(x)")
    try other.execute(
      "CREATE TRIGGER tr AFTER INSERT ON t BEGIN UPDATE t SET x = secret(); END")
    let view = databaseError { try store.connection.execute("SELECT x FROM v") }
    #expect(view?.message == "unsafe use of secret()")
    let trigger = databaseError { try store.connection.execute("INSERT INTO t VALUES (1)") }
    #expect(trigger?.message == "unsafe use of secret()")
  }

  @Test func textInDoubleQuotesIsNoText() throws {
    let store = try TestConnection()
    let error = databaseError { try store.connection.execute("SELECT \"nothing\"") }
    #expect(error?.message == "no such column: nothing")
  }

  // MARK: - Statements

  @Test(arguments: ["", " \n\t", "-- only this", "/* only this */", ";", " ; ; ", "/* unfinished"])
  func sqlWithoutAStatementIsRefused(_ sql: String) throws {
    let store = try TestConnection()
    let error = databaseError { _ = try store.connection.prepare(sql) }
    #expect(error?.code == .statementRefused)
    #expect(error?.message == "the SQL holds no statement")
    try store.connection.execute(script: sql)
  }

  @Test(arguments: ["SELECT 1; SELECT 2", "SELECT 1; -- c\n DROP TABLE t", "SELECT 1; nonsense"])
  func moreThanOneStatementIsRefused(_ sql: String) throws {
    let store = try TestConnection("CREATE TABLE t(x)")
    let error = databaseError { try store.connection.execute(sql) }
    #expect(error?.code == .statementRefused)
    #expect(error?.message == "the SQL holds more than one statement")
    #expect(error?.nextStep?.contains("execute(script:)") == true)
    #expect(try store.connection.table(named: "t") != nil)
  }

  @Test func aSecondStatementThatActsWhileItIsPreparedDoesNotAct() throws {
    let store = try TestConnection()
    try store.connection.execute("PRAGMA foreign_keys = ON")
    let error = databaseError {
      try store.connection.execute("SELECT 1; PRAGMA foreign_keys = OFF")
    }
    #expect(error?.code == .statementRefused)
    #expect(try store.connection.value(Int.self, "PRAGMA foreign_keys") == 1)
  }

  @Test(arguments: [
    "SELECT 1;", "SELECT 1 ; ; ", "SELECT 1 -- c", "SELECT 1; /* c */", " SELECT 1",
  ])
  func whiteSpaceCommentsAndSemicolonsAroundAStatementDoNotMatter(_ sql: String) throws {
    let store = try TestConnection()
    #expect(try store.connection.value(Int.self, sql) == 1)
  }

  @Test(arguments: ["SELECT 1\u{0}", "\u{0}", "SELECT 1; \u{0} DROP TABLE t"])
  func aNULInSQLIsRefused(_ sql: String) throws {
    let store = try TestConnection()
    #expect(databaseError { _ = try store.connection.prepare(sql) }?.code == .statementRefused)
    #expect(
      databaseError { try store.connection.execute(script: sql) }?.message
        == "the SQL holds a NUL character")
  }

  @Test func aScriptRunsUpToItsFirstMistake() throws {
    let store = try TestConnection()
    let error = databaseError {
      try store.connection.execute(
        script: "CREATE TABLE a(x); -- one\nINSERT INTO a VALUES (';'); CREATE nonsense; SELECT 1")
    }
    #expect(error?.message == "near \"nonsense\": syntax error")
    #expect(error?.sql?.hasPrefix(" CREATE nonsense") == true)
    #expect(try store.connection.value(String.self, "SELECT x FROM a") == ";")
  }

  @Test func aLongScriptTakesTimeInProportion() throws {
    let store = try TestConnection("CREATE TABLE t(x)")
    let line =
      "INSERT INTO t VALUES ('some text that makes the line longer than it needs to be');\n"
    try store.connection.transaction {
      try store.connection.execute(script: String(repeating: line, count: 20_000))
    }
    #expect(try store.connection.value(Int.self, "SELECT count(*) FROM t") == 20_000)
  }

  @Test func theCacheGivesTheSameStatementUnlessItRuns() throws {
    let store = try TestConnection()
    let sql = "SELECT 1 UNION SELECT 2"
    let first = try store.connection.cachedStatement(sql)
    #expect(try store.connection.cachedStatement(sql) === first)
    #expect(try first.step())
    let second = try store.connection.cachedStatement(sql)
    #expect(second !== first)
    #expect(try second.step())
    #expect(second.currentRow.int64(at: 0) == 1)
    #expect(try first.step())
    #expect(first.currentRow.int64(at: 0) == 2)
  }

  @Test func aCachedStatementIsOfTheSameBytes() throws {
    let store = try TestConnection(
      "CREATE TABLE t(name TEXT); INSERT INTO t VALUES ('caf\u{E9}'), ('cafe\u{301}')")
    // For Swift, both texts are equal.
    for name in ["caf\u{E9}", "cafe\u{301}", "caf\u{E9}"] {
      let found = try store.connection.value(
        String.self, SQL(verbatim: "SELECT name FROM t WHERE name = '\(name)'"))
      #expect(found.map { Array($0.utf8) } == Array(name.utf8))
    }
  }

  @Test func aQueryMayRunInsideItself() throws {
    let store = try TestConnection("CREATE TABLE t(x); INSERT INTO t VALUES (1), (2), (3)")
    var pairs = 0
    let sql: SQL = "SELECT x FROM t"
    try store.connection.query(sql) { _ in try store.connection.query(sql) { _ in pairs += 1 } }
    #expect(pairs == 9)
  }

  @Test func theCacheStaysBounded() throws {
    let store = try TestConnection()
    let first = try store.connection.cachedStatement("SELECT 0")
    for number in 0..<300 { try store.connection.execute(SQL(verbatim: "SELECT \(number)")) }
    #expect(try store.connection.cachedStatement("SELECT 0") !== first)
    // Who holds a statement that the cache has dropped can still use it.
    #expect(try first.step())
  }

  @Test func aPragmaTakesEffectEachTimeItIsRun() throws {
    let store = try TestConnection()
    for _ in 0..<2 {
      for timeout in [100, 200] {
        try store.connection.execute(SQL(verbatim: "PRAGMA busy_timeout = \(timeout)"))
        #expect(try store.connection.value(Int.self, "PRAGMA busy_timeout") == timeout)
      }
      for size in [10, 20] {
        try store.connection.execute(SQL(verbatim: "/* a comment */ pragma cache_size = \(size)"))
        #expect(try store.connection.value(Int.self, "PRAGMA cache_size") == size)
      }
    }
  }

  @Test func valuesOfAnEarlierRunAreNotReused() throws {
    let store = try TestConnection()
    #expect(try store.connection.value(Int.self, "SELECT ?", [1]) == 1)
    #expect(databaseError { try store.connection.execute("SELECT ?") }?.code == .invalidArguments)
  }

  @Test func nullAndNoRowAreNil() throws {
    let store = try TestConnection("CREATE TABLE track(milliseconds)")
    #expect(
      try store.connection.value(Int.self, "SELECT sum(milliseconds) FROM track") == nil)
    #expect(try store.connection.value(Int.self, "SELECT milliseconds FROM track") == nil)
    for sql in ["SELECT NULL", "SELECT 1 WHERE 0"] {
      #expect(try store.connection.value(String.self, sql) == nil)
      #expect(try store.connection.value(Int?.self, sql) == nil)
      #expect(try store.connection.value(Value.self, sql) == nil)
    }
    let error = databaseError { _ = try store.connection.value(Int.self, "SELECT 'x'") }
    #expect(error?.code == .typeMismatch)
  }

  @Test func resetStatementsEndsAllRuns() throws {
    let store = try TestConnection("CREATE TABLE t(x); INSERT INTO t VALUES (1), (2)")
    let cached = try store.connection.cachedStatement("SELECT x FROM t")
    let prepared = try store.connection.prepare("SELECT x FROM t")
    #expect(try cached.step())
    #expect(try prepared.step())
    store.connection.resetStatements()
    #expect(!cached.isBusy)
    #expect(!prepared.isBusy)
    // Nothing reads any more, so the table can go.
    try store.connection.execute("DROP TABLE t")
  }

  // MARK: - State

  @Test func reportsWhatTheLastStatementsDid() throws {
    let store = try TestConnection("CREATE TABLE t(id INTEGER PRIMARY KEY, x)")
    try store.connection.execute("INSERT INTO t VALUES (7, 0), (9, 0)")
    #expect(store.connection.lastInsertRowID == 9)
    try store.connection.execute("UPDATE t SET x = 1 WHERE id = 7")
    #expect(store.connection.changeCount == 1)
    #expect(!store.connection.isReadOnly)
    #expect(!store.connection.isInTransaction)
    #expect(Connection.sqliteVersion.hasPrefix("3."))
    let reader = try Connection(path: store.folder.file(), access: .readOnly)
    #expect(reader.isReadOnly)
    let error = databaseError { try reader.execute("DELETE FROM t") }
    #expect(error?.resultCode == .readOnly)
  }

  @Test func aNewConnectionWaitsForLocks() throws {
    let folder = try TestFolder()
    let connection = try Connection(path: folder.file(), access: .readWriteCreate)
    #expect(try connection.value(Int.self, "PRAGMA busy_timeout") == 5_000)
    let impatient = try Connection(path: folder.file(), busyTimeout: .zero)
    #expect(try impatient.value(Int.self, "PRAGMA busy_timeout") == 0)
  }

  @Test func aLockHeldBeyondTheTimeoutIsReported() throws {
    let store = try TestConnection("CREATE TABLE t(x)")
    let other = try Connection(path: store.folder.file())
    try other.setBusyTimeout(.milliseconds(30))
    try store.connection.execute("BEGIN EXCLUSIVE")
    let clock = ContinuousClock()
    let begin = clock.now
    let error = databaseError { try other.execute("INSERT INTO t VALUES (1)") }
    #expect(error.map { .busy ~= $0.resultCode } == true)
    #expect(error?.nextStep?.contains("busyTimeout") == true)
    #expect(clock.now - begin >= .milliseconds(20))
    try store.connection.execute("COMMIT")
    try other.execute("INSERT INTO t VALUES (1)")
  }

  @Test(arguments: [
    Duration.seconds(Int64.max), .seconds(-1), .zero, .seconds(3_000_000), .microseconds(1_500),
  ])
  func anyDurationIsATimeout(_ timeout: Duration) throws {
    let store = try TestConnection()
    try store.connection.setBusyTimeout(timeout)
    let milliseconds = try #require(
      try store.connection.value(Int.self, "PRAGMA busy_timeout"))
    #expect((0...Int(Int32.max)).contains(milliseconds))
    #expect(milliseconds > 0 || timeout <= .zero)
  }

  @Test func aConnectionLeavesNoDescriptorBehind() throws {
    let folder = try TestFolder()
    for mode in ["WAL", "DELETE"] {
      try folder.makeStore(mode, journalMode: mode)
      var connection: Connection? = try Connection(path: folder.file(mode))
      _ = try connection?.cachedStatement("SELECT * FROM item").step()
      #expect(folder.openDescriptorCount() != 0)
      connection = nil
      #expect(folder.openDescriptorCount() ?? 0 == 0)
    }
  }

  /// The statement ends after its row, and only then fails.
  @Test func aValueOfAWriteThatCannotCommitIsAnError() throws {
    let folder = try TestFolder()
    let connection = try Connection(path: folder.file(), access: .readWriteCreate)
    try connection.execute(
      script: """
        PRAGMA foreign_keys = ON;
        CREATE TABLE parent(id INTEGER PRIMARY KEY);
        CREATE TABLE child(
          id INTEGER PRIMARY KEY, parent REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
        """)
    let error = databaseError {
      _ = try connection.value(Int.self, "INSERT INTO child(parent) VALUES (99) RETURNING id")
    }
    #expect(error.map { .constraint ~= $0.resultCode } == true)
    #expect(try connection.value(Int.self, "SELECT count(*) FROM child") == 0)
    try connection.execute("INSERT INTO parent VALUES (99)")
    #expect(
      try connection.value(Int.self, "INSERT INTO child(parent) VALUES (99) RETURNING id") == 1)
  }
}
