import Testing

@testable import SQLiteStorage

@Suite struct SnapshotValuesTests {
  private static let query = "SELECT x FROM t WHERE rowid = ?"
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
    #expect(snapshot.answers.withLock { $0.count } <= 64)
    #expect(try snapshot.value(of: Self.query, rowID: 1) == 1)
  }

  @Test func aQueryThatFailsIsAskedAgain() throws {
    let snapshot = try database.snapshot()
    for _ in 0..<2 {
      let error = databaseError { _ = try snapshot.value(of: "SELECT nothing FROM t", rowID: 1) }
      #expect(error != nil)
    }
  }
}
