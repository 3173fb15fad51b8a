import Foundation
import Testing

@testable import SQLiteStorage

@Suite struct SnapshotTests {
  private let database: Database

  init() throws {
    database = try Database.inMemory()
    try database.write { try $0.execute(script: "CREATE TABLE t(x); INSERT INTO t VALUES (1)") }
  }

  private func values(_ snapshot: Snapshot) throws -> [Value] {
    try snapshot.read { try $0.rows("SELECT x FROM t ORDER BY x").map { $0["x"] } }
  }

  @Test func staysAtItsVersionWhateverIsWritten() throws {
    let before = try database.snapshot()
    try database.write { try $0.execute("INSERT INTO t VALUES (2)") }
    let between = try database.snapshot()
    try database.write { try $0.execute("DELETE FROM t") }
    try database.write { try $0.execute("ALTER TABLE t ADD COLUMN y") }
    let after = try database.snapshot()
    #expect(try values(before) == [1])
    #expect(try values(between) == [1, 2])
    #expect(try values(after) == [])
    #expect(try before.read { try $0.rows("SELECT * FROM t").first?.columnNames.names } == ["x"])
    #expect(before.version < between.version)
    #expect(between.version < after.version)
  }

  /// Each list of the older version asks for them.
  @Test(.enabled(if: Connection.supportsPreupdateHook))
  func theRowsTouchedBeforeAndAfterAVersionThatIsKeptAreUnitedOnce() throws {
    let versions = try (2...4).map { value in
      let version = try database.snapshot()
      try database.write { try $0.execute("INSERT INTO t VALUES (?)", [.integer(Int64(value))]) }
      return version
    }
    func known(_ version: Snapshot) -> Int? { version.state.withLock { $0.detected?.version } }
    for _ in 0..<2 {
      for (old, new, rowIDs) in [(0, 2, [2, 3]), (0, 1, [2]), (1, 2, [3])] {
        let touched = try versions[old].changes(to: versions[new]).known()
        #expect(touched.rows(of: "t") == .rowIDs(Set(rowIDs.map(Int64.init))))
      }
      #expect(known(versions[0]) == versions[2].version)
      // These are the chain's own, which must stay the only ones.
      #expect(known(versions[1]) == nil)
    }
  }

  @Test func onlyReads() throws {
    let snapshot = try database.snapshot()
    let error = databaseError { try snapshot.read { try $0.execute("INSERT INTO t VALUES (9)") } }
    #expect(error?.resultCode == .readOnly)
    #expect(try values(snapshot) == [1])
  }

  @Test func anErrorInItsBodyLeavesItAsItWas() throws {
    let snapshot = try database.snapshot()
    try database.write { try $0.execute("DELETE FROM t") }
    _ = databaseError { try snapshot.read { try $0.execute("SELECT * FROM missing") } }
    #expect(try values(snapshot) == [1])
  }

  @Test func mayUseSavepoints() throws {
    let snapshot = try database.snapshot()
    try snapshot.read { connection in
      let count = try connection.savepoint {
        try connection.value(Int.self, "SELECT count(*) FROM t")
      }
      #expect(count == 1)
    }
    #expect(try values(snapshot) == [1])
  }

  @Test func anInterruptDoesNotLoseTheVersion() throws {
    let snapshot = try database.snapshot()
    try database.write { try $0.execute("DELETE FROM t") }
    let error = databaseError {
      try snapshot.read { connection in
        let interrupter = connection.interrupter
        try connection.register(
          ScalarFunction("stop", argumentCount: 1) { values in
            interrupter.interrupt()
            return values[0]
          })
        try connection.execute(
          """
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT stop(i) + 1 FROM n)
          SELECT max(i) FROM n
          """)
      }
    }
    #expect(error?.resultCode == .interrupted)
    #expect(try values(snapshot) == [1])
  }

  @Test func aLostVersionIsAnErrorAndNeverTheNewestOne() throws {
    let snapshot = try database.snapshot()
    try snapshot.read { try $0.execute("ROLLBACK") }
    try database.write { try $0.execute("INSERT INTO t VALUES (2)") }
    let error = databaseError { _ = try values(snapshot) }
    #expect(error?.resultCode == .abort)
    #expect(error?.nextStep == "Take a new snapshot")
  }

  @Test func aLostVersionIsReleased() throws {
    let snapshot = try database.snapshot()
    weak let connection: Connection? = try snapshot.read { $0 }
    #expect(connection != nil)
    try snapshot.read { try $0.execute("COMMIT") }
    try database.write { try $0.execute("INSERT INTO t VALUES (2)") }
    #expect(snapshot.release())
    #expect(!snapshot.isPinned)
    #expect(snapshot.isExpired)
    #expect(databaseError { _ = try values(snapshot) }?.code == .versionExpired)
  }

  @Test func aLostVersionIsNotHandedToOthers() throws {
    let lost = try database.snapshot()
    try lost.read { try $0.execute("COMMIT") }
    #expect(lost.isLost)
    let other = try database.snapshot()
    #expect(other !== lost)
    #expect(try values(other) == [1])
  }

  @Test func outlivesItsDatabase() throws {
    let folder = try TestFolder()
    var database: Database? = try Database(path: try folder.makeStore())
    try database?.write { try $0.execute("DELETE FROM item WHERE id = 1") }
    var snapshot = try database?.snapshot()
    database = nil
    #expect(try snapshot?.read { try $0.value(Int.self, "SELECT count(*) FROM item") } == 2)
    snapshot = nil
    #expect(folder.openDescriptorCount() ?? 0 == 0)
    #expect(try folder.contents() == ["store.sqlite"])
  }

  @Test func keepsAPrivateStoreWhoseDatabaseWasReleased() throws {
    var database: Database? = try Database.inMemory()
    try database?.write { try $0.execute(script: "CREATE TABLE t(x); INSERT INTO t VALUES (7)") }
    let path = try #require(database?.path)
    var snapshot = try database?.snapshot()
    database = nil
    #expect(try snapshot.map(values) == [7])
    snapshot = nil
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func manyThreadsReadOneSnapshot() async throws {
    let snapshot = try database.snapshot()
    try await database.write { try $0.execute("DELETE FROM t") }
    try await withThrowingTaskGroup(of: [Value].self) { group in
      for _ in 0..<20 { group.addTask { try self.values(snapshot) } }
      for try await values in group { #expect(values == [1]) }
    }
  }
}

@Suite struct SnapshotValuesTests {
  private static let query = StatementText("SELECT x FROM t WHERE rowid = ?")
  private let database: Database

  init() throws {
    database = try Database.inMemory()
    try database.write {
      try $0.execute(script: "CREATE TABLE t(x); INSERT INTO t VALUES (1), (NULL)")
    }
  }

  private func runs(in snapshot: Snapshot) throws -> Int {
    try snapshot.read { try $0.cachedStatement(Self.query).counter(.runs) }
  }

  @Test func aValueIsThatOfTheVersion() throws {
    let before = try database.snapshot()
    try database.write {
      try $0.execute(script: "UPDATE t SET x = 2; DELETE FROM t WHERE rowid = 2")
    }
    let after = try database.snapshot()
    #expect(try before.value(of: Self.query, rowID: 1) == 1)
    #expect(try after.value(of: Self.query, rowID: 1) == 2)
    #expect(try before.value(of: Self.query, rowID: 2) == .some(.null))
    #expect(try after.value(of: Self.query, rowID: 2) == Value?.none)
  }

  @Test func itIsAskedForOnceAlsoWhereThereIsNone() throws {
    let snapshot = try database.snapshot()
    for rowID in 1...3 as ClosedRange<Int64> {
      for _ in 0..<5 { _ = try snapshot.value(of: Self.query, rowID: rowID) }
    }
    #expect(try runs(in: snapshot) == 3)
  }

  @Test func notEverythingIsKept() throws {
    let snapshot = try database.snapshot()
    for rowID in 0..<1_000 as Range<Int64> { _ = try snapshot.value(of: Self.query, rowID: rowID) }
    #expect(snapshot.state.withLock { $0.answers.count } <= 64)
    #expect(try snapshot.value(of: Self.query, rowID: 1) == 1)
  }

  @Test func aQueryThatFailsIsAskedAgain() throws {
    struct Failure: Error {}
    let snapshot = try database.snapshot()
    let hasFailed = Flag()
    try snapshot.read { connection in
      try connection.register(
        ScalarFunction("failing_once", argumentCount: 1) { values in
          if hasFailed.isSet { return values[0] }
          hasFailed.set()
          throw Failure()
        })
    }
    let query = StatementText("SELECT failing_once(x) FROM t WHERE rowid = ?")
    #expect(databaseError { _ = try snapshot.value(of: query, rowID: 1) } != nil)
    #expect(try snapshot.value(of: query, rowID: 1) == 1)
  }
}
