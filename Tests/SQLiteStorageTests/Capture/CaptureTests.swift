import Testing

@testable import SQLiteStorage

@Suite(.enabled(if: Connection.supportsPreupdateHook)) struct CaptureTests {
  private let folder: TestFolder
  private let database: Database

  init() throws {
    folder = try TestFolder()
    database = try Database(path: try folder.makeStore(rows: 10), configuration: .unsynced)
  }

  private func changes(_ sql: String..., in database: Database? = nil) throws -> Touched {
    let database = database ?? self.database
    let before = try database.snapshot()
    try database.write { connection in for sql in sql { try connection.execute(sql) } }
    return before.capturedChanges(to: try database.snapshot())
  }

  /// A database with tables of its own, which its writer knows.
  private func makeDatabase(
    _ script: String, configuration: Database.Configuration = .unsynced
  ) throws -> Database {
    let path = folder.file("own.sqlite")
    let connection = try Connection(path: path, access: .readWriteCreate)
    try connection.execute(script: script)
    return try Database(path: path, configuration: configuration)
  }

  // MARK: - Exactly

  @Test func oneInsertTouchesOneRow() throws {
    let touched = try changes("INSERT INTO item VALUES (77, 'new')").known()
    #expect(touched.rows(of: "item") == .rowIDs([77]))
    #expect(touched.count == 1)
    #expect(touched.rows(of: "ITEM", in: "Main") == .rowIDs([77]))
    #expect(touched.rows(of: "other") == nil)
  }

  @Test func anUpdateOfTheKeyTouchesTheOldAndTheNewOne() throws {
    let touched = try changes("UPDATE item SET id = 50 WHERE id = 5").known()
    #expect(touched.rows(of: "item") == .rowIDs([5, 50]))
  }

  @Test func aDeleteOfAllRowsReportsThem() throws {
    let touched = try changes("DELETE FROM item").known()
    #expect(touched.rows(of: "item") == .rowIDs(Set(1...10)))
  }

  @Test func replacedRowsAreTouched() throws {
    let database = try makeDatabase(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, u UNIQUE); INSERT INTO t VALUES (1, 1), (2, 2)")
    let touched = try changes("REPLACE INTO t VALUES (3, 2)", in: database).known()
    #expect(touched.rows(of: "t") == .rowIDs([2, 3]))
  }

  @Test func keysOfTablesWithoutRowIDAreInTheOrderOfTheKey() throws {
    let database = try makeDatabase(
      """
      CREATE TABLE t(note, a TEXT, n REAL, PRIMARY KEY(n, a)) WITHOUT ROWID;
      INSERT INTO t VALUES ('x', 5, 1)
      """)
    let inserted = try changes("INSERT INTO t VALUES ('y', 6, 2)", in: database).known()
    #expect(inserted.rows(of: "t") == .keys([[.real(2), .text("6")]]))
    let updated = try changes("UPDATE t SET n = '3' WHERE a = '5'", in: database).known()
    #expect(updated.rows(of: "t") == .keys([[.real(1), .text("5")], [.real(3), .text("5")]]))
    let deleted = try changes("DELETE FROM t WHERE n = 2", in: database).known()
    #expect(deleted.rows(of: "t") == .keys([[.real(2), .text("6")]]))
  }

  @Test func aVirtualColumnBeforeTheKeyDoesNotHideIt() throws {
    let database = try makeDatabase(
      """
      CREATE TABLE t(v AS (k || 'x'), k TEXT, w AS (1), n, PRIMARY KEY(n, k)) WITHOUT ROWID;
      INSERT INTO t(k, n) VALUES ('a', 1), ('b', 2)
      """)
    let before = try database.snapshot()
    try database.write { try $0.execute("UPDATE t SET k = 'c' WHERE n = 1") }
    try database.write { try $0.execute("INSERT INTO t(k, n) VALUES ('d', 3)") }
    try database.write { try $0.execute("DELETE FROM t WHERE n = 2") }
    let after = try database.snapshot()
    let table = TruthTable("t", key: ["n", "k"])
    let touched = try before.capturedChanges(to: after).known()
    #expect(try table.missed(by: touched, between: before, and: after).isEmpty)
    #expect(table.keys(in: touched) != nil)
  }

  @Test func aBlobThatIsWrittenInPlaceIsTouched() throws {
    let database = try makeDatabase(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, b); INSERT INTO t VALUES (7, x'000000')")
    let before = try database.snapshot()
    let isWritten = try database.write { connection in
      try BlobWrite.write((1, 2), to: "b", of: "t", rowID: 7, on: connection)
    }
    #expect(isWritten)
    let touched = try before.capturedChanges(to: try database.snapshot()).known()
    #expect(touched.rows(of: "t") == .rowIDs([7]))
  }

  @Test func aKeyOfTextThatIsNotValidTouchesAllRows() throws {
    let database = try makeDatabase("CREATE TABLE t(k TEXT PRIMARY KEY, n) WITHOUT ROWID")
    // It reads as U+FFFD, and so do others.
    let touched = try changes("INSERT INTO t VALUES (CAST(x'FF' AS TEXT), 1)", in: database).known()
    #expect(touched.rows(of: "t") == .all)
  }

  @Test func rowsCopiedFromATableOfTheSameFormAreTouched() throws {
    let database = try makeDatabase(
      """
      CREATE TABLE a(id INTEGER PRIMARY KEY, x); CREATE TABLE b(id INTEGER PRIMARY KEY, x);
      CREATE TABLE c(k PRIMARY KEY, x) WITHOUT ROWID; CREATE TABLE d(k PRIMARY KEY, x) WITHOUT ROWID;
      INSERT INTO a VALUES (1, 1), (2, 2); INSERT INTO c VALUES ('p', 1), ('q', 2)
      """)
    let touched = try changes(
      "INSERT INTO b SELECT * FROM a", "INSERT INTO d SELECT * FROM c", in: database
    ).known()
    #expect(touched.rows(of: "b") == .rowIDs([1, 2]))
    #expect(touched.rows(of: "d") == .keys([["p"], ["q"]]))
    #expect(touched.rows(of: "a") == nil)
  }

  @Test func severalTransactionsAddUp() throws {
    let before = try database.snapshot()
    for id in 1...4 {
      try database.write { try $0.execute(SQL(verbatim: "DELETE FROM item WHERE id = \(id)")) }
    }
    let touched = try before.capturedChanges(to: try database.snapshot()).known()
    #expect(touched.rows(of: "item") == .rowIDs([1, 2, 3, 4]))
  }

  @Test func statementsOutsideOfATransactionAreNoted() throws {
    let before = try database.snapshot()
    try database.withWriter { connection in
      try connection.execute("DELETE FROM item WHERE id = 1")
      try connection.execute("DELETE FROM item WHERE id = 2")
    }
    let touched = try before.capturedChanges(to: try database.snapshot()).known()
    #expect(touched.rows(of: "item") == .rowIDs([1, 2]))
  }

  @Test func aSnapshotBetweenTwoStatementsSeparatesThem() throws {
    let before = try database.snapshot()
    var between: Snapshot?
    try database.withWriter { connection in
      try connection.execute("DELETE FROM item WHERE id = 1")
      between = try database.snapshot()
      try connection.execute("DELETE FROM item WHERE id = 2")
    }
    let middle = try #require(between)
    let after = try database.snapshot()
    #expect(try before.capturedChanges(to: middle).known().rows(of: "item") == .rowIDs([1]))
    #expect(try middle.capturedChanges(to: after).known().rows(of: "item") == .rowIDs([2]))
    #expect(try before.capturedChanges(to: after).known().rows(of: "item") == .rowIDs([1, 2]))
  }

  @Test func aCommitBySavepointIsNoted() throws {
    let before = try database.snapshot()
    try database.withWriter { connection in
      try connection.execute("SAVEPOINT outer")
      try connection.execute("DELETE FROM item WHERE id = 1")
      try connection.execute("RELEASE outer")
    }
    let touched = try before.capturedChanges(to: try database.snapshot()).known()
    #expect(touched.rows(of: "item") == .rowIDs([1]))
  }

  // MARK: - Nothing

  @Test func aRolledBackTransactionTouchesNothing() throws {
    let before = try database.snapshot()
    _ = databaseError {
      try database.write { connection in
        try connection.execute("DELETE FROM item")
        try connection.execute("nonsense")
      }
    }
    try database.write { try $0.execute("DELETE FROM item WHERE id = 1") }
    let touched = try before.capturedChanges(to: try database.snapshot()).known()
    #expect(touched.rows(of: "item") == .rowIDs([1]))
  }

  @Test func aStatementThatFailsTouchesNothing() throws {
    let before = try database.snapshot()
    _ = databaseError {
      try database.withWriter { try $0.execute("UPDATE item SET id = 10 WHERE id < 5") }
    }
    #expect(try database.snapshot() === before)
    try database.write { try $0.execute("INSERT INTO item VALUES (77, 'new')") }
    let touched = try before.capturedChanges(to: try database.snapshot()).known()
    #expect(touched.rows(of: "item") == .rowIDs([77]))
  }

  @Test func aCommitWithoutRowsTouchesNothing() throws {
    #expect(try changes("PRAGMA user_version = 4").known().isEmpty)
  }

  @Test func temporaryTablesAreNotNoted() throws {
    try database.withWriter { try $0.execute("CREATE TEMP TABLE item(id)") }
    let before = try database.snapshot()
    try database.write { connection in
      try connection.execute("INSERT INTO item VALUES (1)")
      try connection.execute("INSERT INTO main.item VALUES (77, 'new')")
    }
    let touched = try before.capturedChanges(to: try database.snapshot()).known()
    #expect(touched.rows(of: "item") == .rowIDs([77]))
    #expect(touched.rows(of: "item", in: "temp") == nil)
  }

  @Test func aVersionHasNoChangesToItself() throws {
    let snapshot = try database.snapshot()
    #expect(snapshot.capturedChanges(to: snapshot) == .none)
    #expect(try snapshot.capturedChanges(to: database.snapshot()) == .none)
  }

  @Test func aCheckpointOfAnotherConnectionMakesNoVersion() throws {
    try database.write { try $0.execute("DELETE FROM item WHERE id = 1") }
    let before = try database.snapshot()
    let other = try Connection(path: folder.file())
    _ = try other.value(Int.self, "SELECT count(*) FROM item")
    #expect(other.checkpoint() == .complete)
    #expect(WALIndexHeader(of: other)?.backfilledFrameCount == 1)
    #expect(try database.snapshot() === before)
    try database.write { try $0.execute("DELETE FROM item WHERE id = 2") }
    let touched = try before.capturedChanges(to: try database.snapshot()).known()
    #expect(touched.rows(of: "item") == .rowIDs([2]))
  }

  @Test func startingTheLogOverMakesNoVersion() throws {
    try database.write { try $0.execute("DELETE FROM item WHERE id = 1") }
    let other = try Connection(path: folder.file())
    // Two checkpoints: after the first the snapshot needs no frame of the log any more.
    _ = try other.value(Int.self, "SELECT count(*) FROM item")
    #expect(other.checkpoint() == .complete)
    let before = try database.snapshot()
    try other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(WALIndexHeader(of: other)?.frameCount == 0)
    #expect(try database.snapshot() === before)
    try database.write { try $0.execute("DELETE FROM item WHERE id = 2") }
    let touched = try before.capturedChanges(to: try database.snapshot()).known()
    #expect(touched.rows(of: "item") == .rowIDs([2]))
  }

  @Test func aTransactionLargerThanTheCacheIsNoted() throws {
    let database = try makeDatabase("CREATE TABLE t(id INTEGER PRIMARY KEY, b)")
    let before = try database.snapshot()
    try database.write { connection in
      // Frames are written to the log before the commit, and the log may be reset.
      try connection.execute("PRAGMA cache_size = 5")
      try connection.execute(
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
        INSERT INTO t SELECT i, zeroblob(2000) FROM n
        """)
    }
    let touched = try before.capturedChanges(to: try database.snapshot()).known()
    #expect(touched.rows(of: "t") == .rowIDs(Set(1...500)))
  }

  /// SQLite converts the integer of an old row by the affinity of another column: see `TouchRecorder`.
  @Test(arguments: [5, 1_234_567_890_123_456_789, Int64.max - 1])
  func aDeletedKeyWhosePlaceIsThatOfARealColumn(id: Int64) throws {
    let database = try makeDatabase(
      """
      CREATE TABLE price(amount REAL, id INTEGER PRIMARY KEY) WITHOUT ROWID;
      INSERT INTO price VALUES (1.5, \(id)), (2.5, \(id + 1));
      """)
    let touched = try changes("DELETE FROM price WHERE id = \(id)", in: database).known()
    switch touched.rows(of: "price") {
    case .all: break
    case .keys(let keys): #expect(keys.contains([.integer(id)]))
    case let rows: Issue.record("\(rows as Any)")
    }
  }
}
