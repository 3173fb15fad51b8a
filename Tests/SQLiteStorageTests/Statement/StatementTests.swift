import SQLiteStorage
import Testing

@Suite struct StatementTests {
  @Test func stepsThroughItsRowsAndBeginsAgain() throws {
    let store = try TestConnection()
    let statement = try store.connection.prepare("SELECT 1 UNION ALL SELECT 2")
    for _ in 0..<2 {
      #expect(try statement.step())
      #expect(statement.isBusy)
      #expect(statement.currentRow.int64(at: 0) == 1)
      #expect(try statement.step())
      #expect(try statement.step() == false)
      #expect(!statement.isBusy)
    }
  }

  @Test func resetEndsARunInTheMiddle() throws {
    let store = try TestConnection()
    let statement = try store.connection.prepare("SELECT 1 UNION ALL SELECT 2")
    #expect(try statement.step())
    statement.reset()
    #expect(!statement.isBusy)
    #expect(try statement.step())
    #expect(statement.currentRow.int64(at: 0) == 1)
  }

  @Test func anErrorInTheBodyEndsTheRun() throws {
    struct Stop: Error {}
    let store = try TestConnection()
    let statement = try store.connection.prepare("SELECT 1 UNION ALL SELECT 2")
    #expect(throws: Stop.self) { try statement.forEachRow { _ in throw Stop() } }
    #expect(!statement.isBusy)
  }

  @Test func aFailedStepLeavesTheStatementUsable() throws {
    let store = try TestConnection("CREATE TABLE t(x UNIQUE); INSERT INTO t VALUES (1)")
    let statement = try store.connection.prepare("INSERT INTO t VALUES (?)")
    try statement.bind([1])
    let error = databaseError { try statement.step() }
    #expect(error.map { .constraint ~= $0.resultCode } == true)
    #expect(error?.sql == "INSERT INTO t VALUES (?)")
    #expect(!statement.isBusy)
    try statement.bind([2])
    try statement.run()
    #expect(store.connection.changeCount == 1)
  }

  @Test func knowsItsColumnsSQLAndWhetherItReads() throws {
    let store = try TestConnection("CREATE TABLE t(a, b)")
    let select = try store.connection.prepare("SELECT a, b AS c, 1+1 FROM t -- end")
    #expect(select.columnNames.names == ["a", "c", "1+1"])
    #expect(select.sql == "SELECT a, b AS c, 1+1 FROM t -- end")
    #expect(select.isReadOnly)
    let insert = try store.connection.prepare("INSERT INTO t VALUES (1, 2)")
    #expect(insert.columnNames.names.isEmpty)
    #expect(!insert.isReadOnly)
  }

  @Test func aColumnAddedAfterPreparingIsSeenWithItsName() throws {
    let store = try TestConnection("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    let before = try store.connection.rows("SELECT * FROM t")
    #expect(before.first?.columnNames.names == ["a"])
    try store.connection.execute("ALTER TABLE t ADD COLUMN b DEFAULT 'new'")
    let after = try store.connection.rows("SELECT * FROM t")
    #expect(after.first?.columnNames.names == ["a", "b"])
    #expect(after.first?["b"] == "new")
    // The names of rows that were copied before stay.
    #expect(before.first?.columnNames.names == ["a"])
  }

  @Test func aColumnRenamedByAnotherConnectionIsSeenWithItsName() throws {
    let store = try TestConnection("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    _ = try store.connection.rows("SELECT * FROM t")
    let other = try Connection(path: store.folder.file())
    try other.execute("ALTER TABLE t RENAME COLUMN a TO c")
    #expect(try store.connection.rows("SELECT * FROM t").first?["c"] == 1)
  }

  @Test func aMismatchInAColumnAddedAfterPreparingIsAnErrorToo() throws {
    let store = try TestConnection("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    _ = try store.connection.rows("SELECT * FROM t")
    try store.connection.execute("ALTER TABLE t ADD COLUMN b DEFAULT 'new'")
    let error = databaseError {
      try store.connection.query("SELECT * FROM t") { _ = try $0.decode(Int.self, at: 1) }
    }
    #expect(error?.message == "column b holds text, not an integer that fits Int")
  }

  @Test func countersMeasureWorkWithoutAClock() throws {
    let store = try TestConnection("CREATE TABLE t(a); INSERT INTO t VALUES (2), (1)")
    let statement = try store.connection.prepare("SELECT a FROM t ORDER BY a")
    try statement.run()
    #expect(statement.counter(.sorts) == 1)
    #expect(statement.counter(.fullScanSteps) >= 1)
    #expect(statement.counter(.virtualMachineSteps) > 0)
    #expect(statement.counter(.runs, reset: true) == 1)
    #expect(statement.counter(.runs) == 0)
    #expect(statement.counter(.automaticIndexes) == 0)
  }

  @Test func outlivesItsConnectionWithoutLeakingTheFile() throws {
    let folder = try TestFolder()
    var connection: Connection? = try Connection(path: folder.file(), access: .readWriteCreate)
    try connection?.execute(script: "CREATE TABLE t(x); INSERT INTO t VALUES (7)")
    var statement = try connection?.prepare("SELECT x FROM t")
    connection = nil
    #expect(folder.openDescriptorCount().map { $0 > 0 } ?? true, "the statement keeps it open")
    #expect(try statement?.step() == true)
    #expect(statement?.currentRow.int64(at: 0) == 7)
    statement = nil
    #expect(folder.openDescriptorCount() ?? 0 == 0)
  }
}
