import Foundation
import SQLiteStorage
import Testing

@Suite struct DatabaseTests {
  private struct Stop: Error {}

  private let database: Database

  init() throws {
    database = try Database.inMemory()
    try database.write { try $0.execute("CREATE TABLE t(x)") }
  }

  private func count() throws -> Int? {
    try database.read { try $0.value(Int.self, "SELECT count(*) FROM t") }
  }

  private func insert(_ connection: Connection, _ value: Value = 1) throws {
    try connection.execute("INSERT INTO t VALUES (?)", [value])
  }

  // MARK: - Reading and writing

  @Test func whatIsWrittenIsRead() throws {
    let result = try database.write { connection in
      try insert(connection)
      return "result"
    }
    #expect(result == "result")
    #expect(try count() == 1)
  }

  @Test func aBodyThatThrowsWritesNothing() throws {
    #expect(throws: Stop.self) {
      try database.write { connection in
        try insert(connection)
        throw Stop()
      }
    }
    #expect(try count() == 0)
  }

  @Test func aReadSeesOneVersionUntilItEnds() throws {
    try database.read { reader in
      #expect(try reader.value(Int.self, "SELECT count(*) FROM t") == 0)
      try database.write { try insert($0) }
      #expect(try reader.value(Int.self, "SELECT count(*) FROM t") == 0)
    }
    #expect(try count() == 1)
  }

  @Test func aReadCannotWrite() throws {
    let error = databaseError { try database.read { try insert($0) } }
    #expect(error?.resultCode == .readOnly)
    #expect(try count() == 0)
  }

  @Test func readsNest() throws {
    try database.read { outer in
      try database.read { inner in #expect(inner !== outer) }
    }
  }

  @Test func foreignKeysAreEnforcedUnlessSwitchedOff() throws {
    let script = """
      CREATE TABLE parent(id INTEGER PRIMARY KEY); CREATE TABLE child(p REFERENCES parent(id));
      """
    for isEnforced in [true, false] {
      var configuration = Database.Configuration()
      configuration.enforcesForeignKeys = isEnforced
      let database = try Database.inMemory(configuration: configuration)
      try database.write { try $0.execute(script: script) }
      let error = databaseError {
        try database.write { try $0.execute("INSERT INTO child VALUES (1)") }
      }
      #expect((error != nil) == isEnforced)
    }
  }

  // MARK: - One writer

  @Test func aWriteInsideAWriteIsRefused() throws {
    try database.write { connection in
      let error = databaseError { try database.write { try insert($0) } }
      #expect(error?.code == .nestedWrite)
      #expect(error?.nextStep != nil)
      #expect(databaseError { try database.withWriter { _ in } }?.code == .nestedWrite)
      try insert(connection)
    }
    #expect(try count() == 1)
  }

  /// It would see the version before, without what the write has done so far.
  @Test func aReadInsideAWriteIsRefused() throws {
    try database.write { connection in
      try insert(connection)
      let error = databaseError { _ = try database.read { _ in } }
      #expect(error?.code == .nestedWrite)
      #expect(error?.message == "read was called from inside write")
      #expect(error?.nextStep == "Use the connection that the outer closure received")
      for (name, call) in [
        ("snapshot", { _ = try database.snapshot() }),
        ("withSnapshot", { try database.withSnapshot { _ in } }),
      ] {
        let error = databaseError(call)
        #expect(error?.code == .nestedWrite)
        #expect(error?.message == "\(name) was called from inside write")
      }
    }
    try database.withWriter { connection in
      try insert(connection)
      #expect(try count() == 2)
      try connection.transaction {
        #expect(databaseError { _ = try count() }?.code == .nestedWrite)
      }
    }
    let other = try Database.inMemory()
    let one = try database.write { _ in
      try other.read { try $0.value(Int.self, "SELECT 1") }
    }
    #expect(one == 1)
  }

  @Test func aWriteCannotEndItsTransaction() async throws {
    #expect(
      databaseError { try database.write { try $0.execute("COMMIT") } }?.code == .statementRefused)
    #expect(
      databaseError { try database.read { try $0.execute("COMMIT") } }?.code == .statementRefused)
    await #expect(throws: DatabaseError.self) {
      try await database.write { connection in
        try connection.execute("INSERT INTO t VALUES (1)")
        try connection.execute("END")
      }
    }
    #expect(try count() == 0)
  }

  @Test func whatFollowsARollbackInAWriteLeavesNoTrace() async throws {
    try await database.write { connection in
      try connection.execute("CREATE UNIQUE INDEX once ON t(x)")
      try connection.execute("INSERT INTO t VALUES (1)")
    }
    let body = { @Sendable (connection: Connection) in
      try? connection.execute("INSERT OR ROLLBACK INTO t VALUES (1)")
      try connection.execute("INSERT INTO t VALUES (2)")
    }
    let expected = "SQLite has rolled back the transaction: UNIQUE constraint failed: t.x"
    #expect(databaseError { try database.write(body) }?.message == expected)
    let error = await #expect(throws: DatabaseError.self) { try await database.write(body) }
    #expect(error?.message == expected)
    #expect(try count() == 1)
    try await database.write { try $0.execute("INSERT INTO t VALUES (3)") }
    #expect(try count() == 2)
  }

  @Test func aWriteFromAnotherThreadWaitsForItsTurn() throws {
    let done = DispatchSemaphore(value: 0)
    try database.write { connection in
      let thread = Thread { [database] in
        try? database.write { try $0.execute("INSERT INTO t VALUES (2)") }
        done.signal()
      }
      thread.start()
      try insert(connection, 1)
      #expect(try connection.value(Int.self, "SELECT count(*) FROM t") == 1)
    }
    done.wait()
    #expect(try count() == 2)
  }

  @Test func aWriteToAnotherDatabaseIsNotNested() throws {
    let other = try Database.inMemory()
    try database.write { connection in
      try other.write { try $0.execute("CREATE TABLE o(x)") }
      try insert(connection)
    }
    #expect(try count() == 1)
  }

  @Test func manyWritersTakeTurns() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask { [database] in
          try await database.write { try $0.execute("INSERT INTO t SELECT count(*) FROM t") }
        }
      }
      try await group.waitForAll()
    }
    let values = try await database.read {
      try $0.rows("SELECT x FROM t ORDER BY x").map { $0["x"] }
    }
    #expect(values == (0..<50).map { .integer($0) })
  }

  @Test func withWriterRunsOutsideOfATransaction() throws {
    try database.write { try insert($0) }
    try database.withWriter { connection in
      #expect(!connection.isInTransaction)
      try connection.execute("VACUUM")
      try connection.transaction { try insert(connection) }
    }
    #expect(try count() == 2)
  }

  @Test func aTransactionLeftOpenIsRolledBackAndReported() throws {
    let error = databaseError {
      try database.withWriter { connection in
        try connection.execute("BEGIN")
        try insert(connection)
      }
    }
    #expect(error?.resultCode == .abort)
    #expect(error?.message == "a transaction was left open, and has been rolled back")
    #expect(throws: Stop.self) {
      try database.withWriter { connection in
        try connection.execute("BEGIN")
        throw Stop()
      }
    }
    try database.write { try insert($0) }
    #expect(try count() == 1)
  }

  @Test func aQueryLeftInTheMiddleHoldsNothingUp() throws {
    let folder = try TestFolder()
    let database = try Database(path: try folder.makeStore())
    try database.withWriter { connection in
      _ = try connection.cachedStatement("SELECT * FROM item").step()
    }
    try database.read { connection in
      _ = try connection.cachedStatement("SELECT * FROM item").step()
    }
    // The next write would find its version outdated by this one.
    let other = try Connection(path: folder.file())
    try other.execute("DELETE FROM item WHERE id = 1")
    try database.write { try $0.execute("DELETE FROM item WHERE id = 2") }
    #expect(try database.read { try $0.value(Int.self, "SELECT count(*) FROM item") } == 1)
  }

  @Test func aDatabaseOpenedToBeReadRefusesWrites() async throws {
    let folder = try TestFolder()
    let database = try Database(path: try folder.makeStore(), access: .readOnly)
    let error = databaseError { try database.write { try $0.execute("DELETE FROM item") } }
    #expect(error?.resultCode == .readOnly)
    #expect(error?.message == "the database was opened read-only: \(folder.file())")
    await #expect(throws: DatabaseError.self) {
      try await database.write { try $0.execute("DELETE FROM item") }
    }
  }

  @Test func aCommitThatFailsLeavesTheWriterUsable() throws {
    try database.write {
      try $0.execute(
        script: """
          CREATE TABLE parent(id INTEGER PRIMARY KEY);
          CREATE TABLE child(p REFERENCES parent(id) DEFERRABLE INITIALLY DEFERRED);
          """)
    }
    let error = databaseError {
      try database.write { try $0.execute("INSERT INTO child VALUES (1)") }
    }
    #expect(error?.message == "FOREIGN KEY constraint failed")
    try database.write { try insert($0) }
    #expect(try count() == 1)
  }

  // MARK: - Closing

  @Test func aPrivateStoreIsRemovedWithItsLastReference() throws {
    var database: Database? = try Database.inMemory()
    let path = try #require(database?.path)
    #expect(FileManager.default.fileExists(atPath: path))
    database = nil
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(!FileManager.default.fileExists(atPath: (path as NSString).deletingLastPathComponent))
  }

  @Test func privateStoresAreApart() throws {
    let other = try Database.inMemory()
    #expect(try other.read { try $0.table(named: "t") } == nil)
    #expect(other.path != database.path)
  }

  @Test func theLogIsRemovedWhenTheDatabaseIsClosed() throws {
    let folder = try TestFolder()
    var database: Database? = try Database(path: try folder.makeStore())
    try database?.write { try $0.execute("DELETE FROM item WHERE id = 1") }
    _ = try database?.read { try $0.value(Int.self, "SELECT count(*) FROM item") }
    _ = try database?.snapshot()
    #expect(try folder.contents().count == 3)
    database = nil
    #expect(try folder.contents() == ["store.sqlite"])
    #expect(folder.openDescriptorCount() ?? 0 == 0)
    let connection = try Connection(path: folder.file(), access: .readOnly)
    #expect(try connection.value(Int.self, "SELECT count(*) FROM item") == 2)
  }

  @Test func interruptStopsWhatRunsNowAndNothingLater() async throws {
    let gate = OneShotGate()
    var configuration = Database.Configuration()
    configuration.functions = [gate.function]
    let database = try Database.inMemory(configuration: configuration)
    async let endless: Void = database.read { try $0.execute(OneShotGate.endlessQuery) }
    await gate.wait()
    database.interrupt()
    do {
      try await endless
      Issue.record("it would run for ever")
    } catch let error as DatabaseError {
      #expect(error.resultCode == .interrupted)
    }
    #expect(try await database.read { try $0.value(Int.self, "SELECT 1") } == 1)
  }
}
