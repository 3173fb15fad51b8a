import SQLiteStorage
import Testing

@testable import FetchedResults

/// The number of transactions that an element of a change log has.
@Suite(.timeLimit(.minutes(5))) struct ChangeLogCommitCountTests: FollowsFile {
  let file: FollowedFile

  init() throws {
    file = try FollowedFile(
      """
      CREATE TABLE track(id INTEGER PRIMARY KEY, rating INT);
      INSERT INTO track VALUES (1, 1), (2, 2);
      CREATE TABLE tag(name TEXT PRIMARY KEY, rating) WITHOUT ROWID;
      INSERT INTO tag VALUES ('red', 1), ('blue', 2);
      """)
  }

  private func log() throws -> ChangeLog.Iterator {
    try database.changes(tables: ["track"], since: database.snapshot()).makeAsyncIterator()
  }

  @Test func anElementHasTheNumberOfItsTransactions() async throws {
    var log = try log()
    for number in 1...3 { try writer.execute("UPDATE track SET rating = \(number)") }
    #expect(try await log.next()?.commitCount == 3)
    try database.run("UPDATE track SET rating = 7 WHERE id = 1")
    try database.run("UPDATE track SET rating = 8 WHERE id = 2")
    #expect(try await log.next()?.commitCount == 2)
    try database.run("UPDATE track SET rating = 9 WHERE id = 1")
    try writer.execute("UPDATE track SET rating = 9 WHERE id = 2")
    #expect(try await log.next()?.commitCount == 2)
    try writer.execute("ALTER TABLE track ADD COLUMN more")
    #expect(try await log.next()?.commitCount == 1)
  }

  /// As if a batch could not be printed. What was not told before it counts again too.
  @Test func afterGoingBackTheNextElementHasTheChangesOfTheLast() async throws {
    var log = try log()
    try writer.execute("UPDATE tag SET rating = 5")
    try writer.execute("UPDATE track SET rating = 7 WHERE id = 1")
    #expect(try await log.next()?.count == 1)
    log.goBack()
    try writer.execute("UPDATE track SET rating = 8 WHERE id = 2")
    var changes = try await log.next()
    #expect(changes?.count == 2)
    #expect(changes?.commitCount == 3)
    // It goes back once, and keeps no version but the newest.
    try writer.execute("UPDATE track SET rating = 9 WHERE id = 2")
    changes = try await log.next()
    #expect(changes?.count == 1)
    #expect(changes?.commitCount == 1)
  }

  @Test func transactionsOfWhichNoElementIsMadeAreCounted() async throws {
    var log = try log()
    try writer.execute("CREATE INDEX by_rating ON track(rating)")
    let writer = writer
    let changes = try await log.next(as: { changes -> DatabaseChanges? in
      if changes.count > 0 { return changes }
      try writer.execute("UPDATE track SET rating = 7 WHERE id = 1")
      return nil
    })
    #expect(changes?.count == 1)
    #expect(changes?.commitCount == 2)
  }

  @Test func transactionsThatAreNotToldAreCounted() async throws {
    var log = try log()
    for _ in 1...2 {
      try writer.execute("UPDATE tag SET rating = rating + 1")
      _ = try database.snapshot()
    }
    try writer.execute("UPDATE track SET rating = 0 WHERE id = 1")
    #expect(try await log.next()?.commitCount == 3)
  }

  @Test func transactionsAreCountedAfterTheLogWasReset() async throws {
    var log = try log()
    try writer.execute("UPDATE track SET rating = 0 WHERE id = 1")
    #expect(try await log.next()?.commitCount == 1)
    for number in 1...50 {
      try writer.execute("UPDATE track SET rating = \(number)")
      _ = try? writer.rows("PRAGMA wal_checkpoint(PASSIVE)")
      if number % 10 == 0 { #expect(try await log.next()?.commitCount == 10) }
    }
  }

  @Test func theNumberIsNotKnownWithoutALog() async throws {
    let path = folder.file("saved.db")
    try writer.execute("VACUUM INTO \(path)")
    try writer.execute("UPDATE track SET rating = 0 WHERE id = 1")
    let saved = try Database(path: path, access: .readOnly)
    var log = try database.changes(since: saved.snapshot()).makeAsyncIterator()
    let first = try #require(try await log.next())
    #expect(first.commitCount == nil)
    try writer.execute("UPDATE track SET rating = 1 WHERE id = 1")
    #expect(try await log.next()?.commitCount == 1)
  }
}
