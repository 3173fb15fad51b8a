import Testing

@testable import SQLiteStorage

@Suite struct ReaderPoolTests {
  private let folder: TestFolder
  private let pool: ReaderPool

  init() throws {
    folder = try TestFolder()
    let path = try folder.makeStore()
    pool = ReaderPool { try Connection(path: path, access: .readOnly) }
  }

  @Test func aConnectionGivenBackIsTakenAgain() throws {
    let connection = try pool.take()
    pool.checkIn(connection)
    #expect(try pool.take() === connection)
  }

  @Test func whatIsInUseIsNotGivenToAnother() throws {
    let first = try pool.take()
    #expect(try pool.take() !== first)
  }

  @Test func aConnectionComesWithoutTransactionOrRunningStatement() throws {
    let connection = try pool.take()
    try connection.execute("BEGIN")
    let statement = try connection.cachedStatement("SELECT * FROM item")
    #expect(try statement.step())
    pool.checkIn(connection)
    #expect(!connection.isInTransaction)
    #expect(!statement.isBusy)
  }

  @Test func onlySomeIdleConnectionsAreKept() throws {
    let taken = try (0..<10).map { _ in try pool.take() }
    for connection in taken { pool.checkIn(connection) }
    let again = try (0..<10).map { _ in try pool.take() }
    #expect(again.count { connection in taken.contains { $0 === connection } } == 4)
  }

  @Test func aFailureToOpenIsReported() {
    let pool = ReaderPool { throw DatabaseError(.sqlite, "no connection") }
    #expect(databaseError { _ = try pool.take() }?.message == "no connection")
  }
}
