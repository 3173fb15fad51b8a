import Testing

@testable import SQLiteStorage

/// When what was written here does not tell which rows were touched, it must be said. What the pages
/// tell then is another matter: see `WALDiffTests`.
@Suite(.enabled(if: Connection.supportsPreupdateHook)) struct CaptureUnknownTests {
  private let folder: TestFolder
  private let database: Database

  init() throws {
    folder = try TestFolder()
    database = try Database(path: try folder.makeStore(rows: 10), configuration: .unsynced)
  }

  private func changes(by body: () throws -> Void) throws -> Touched {
    let before = try database.snapshot()
    try body()
    return before.capturedChanges(to: try database.snapshot())
  }

  private func delete(_ id: Int, from database: Database) throws {
    try database.write { try $0.execute(SQL(verbatim: "DELETE FROM item WHERE id = \(id)")) }
  }

  // MARK: - Others

  @Test func aCommitOfAnotherConnection() throws {
    let other = try Connection(path: folder.file())
    #expect(
      try changes { try other.execute("DELETE FROM item WHERE id = 1") } == .unknown(.otherWriter))
    // And from then on it is known again.
    let touched = try changes { try delete(2, from: database) }.known()
    #expect(touched.rows(of: "item") == .rowIDs([2]))
  }

  @Test func aCommitOfAnotherConnectionBeforeOrAfterAnOwnOne() throws {
    let other = try Connection(path: folder.file())
    #expect(
      try changes {
        try other.execute("DELETE FROM item WHERE id = 1")
        try delete(2, from: database)
      } == .unknown(.otherWriter))
    #expect(
      try changes {
        try delete(3, from: database)
        try other.execute("DELETE FROM item WHERE id = 4")
      } == .unknown(.otherWriter))
    #expect(
      try changes {
        try delete(5, from: database)
        try other.execute("DELETE FROM item WHERE id = 6")
        try delete(7, from: database)
      } == .unknown(.otherWriter))
  }

  @Test func aCommitOfAnotherConnectionInsteadOfAnOwnOneThatIsRolledBack() throws {
    let other = try Connection(path: folder.file())
    #expect(
      try changes {
        _ = databaseError {
          try database.write { connection in
            try connection.execute("DELETE FROM item")
            try connection.execute("nonsense")
          }
        }
        try other.execute("DELETE FROM item WHERE id = 1")
        // Nothing is written by this one either.
        try delete(77, from: database)
      } == .unknown(.otherWriter))
  }

  @Test func aCommitOfAnotherProcess() async throws {
    let before = try database.snapshot()
    await #expect(processExitsWith: .success) { [path = folder.file() as String] in
      let database = try Database(path: path)
      try database.write { try $0.execute("DELETE FROM item WHERE id = 1") }
    }
    #expect(try before.capturedChanges(to: database.snapshot()) == .unknown(.otherWriter))
  }

  @Test func aCommitThatTheLogHookIsNotCalledFor() throws {
    // A statement with RETURNING that is reset at its first row commits without it.
    let changes = try changes {
      try database.withWriter { connection in
        let insert = try connection.prepare(
          "INSERT INTO item(name) VALUES ('a'), ('b') RETURNING id")
        #expect(try insert.step())
        #expect(insert.currentRow.int64(at: 0) == 11)
        insert.reset()
      }
    }
    #expect(changes == .unknown(.otherWriter))
    let touched = try self.changes { try delete(2, from: database) }.known()
    #expect(touched.rows(of: "item") == .rowIDs([2]))
  }

  // Waiting for its turn among all tests counts as well.
  @Test(.timeLimit(.minutes(10)))
  func commitsWithoutAStatement() throws {
    try database.write { try $0.execute("UPDATE item SET name = x'000000'") }
    let changes = try changes {
      try database.withWriter { connection in
        // Each commits when it is closed, and nothing is told of its end before the next begins.
        for rowID in [7, 8] as [Int64] {
          try BlobWrite.write((1, 2), to: "name", of: "item", rowID: rowID, on: connection)
        }
      }
    }
    #expect(changes == .unknown(.otherWriter))
    let count = try database.read {
      try $0.value(Int.self, "SELECT count(*) FROM item WHERE name = x'010200'")
    }
    #expect(count == 2)
    let touched = try self.changes { try delete(2, from: database) }.known()
    #expect(touched.rows(of: "item") == .rowIDs([2]))
  }

  @Test func aDatabaseThatIsOnlyReadHasOthersOnly() throws {
    let reader = try Database(path: folder.file(), access: .readOnly)
    let before = try reader.snapshot()
    try delete(1, from: database)
    #expect(try before.capturedChanges(to: reader.snapshot()) == .unknown(.otherWriter))
  }

  // MARK: - The schema

  @Test(
    arguments: [
      "CREATE TABLE other(id)", "CREATE INDEX names ON item(name)", "DROP TABLE item",
      "ALTER TABLE item ADD COLUMN more DEFAULT 3", "ALTER TABLE item RENAME TO thing",
      "CREATE TABLE copied AS SELECT * FROM item", "CREATE VIEW v AS SELECT * FROM item", "VACUUM",
    ])
  func aChangeOfTheSchema(by sql: String) throws {
    let before = try database.snapshot()
    try database.withWriter { try $0.execute(sql) }
    let after = try database.snapshot()
    #expect(before !== after)
    #expect(before.schemaVersion != after.schemaVersion)
    #expect(before.changes(to: after) == .unknown(.schemaChanged))
  }

  @Test func dropAndCreateInOneTransaction() throws {
    let changes = try changes {
      try database.write { connection in
        try connection.execute("DROP TABLE item")
        try connection.execute("CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT)")
        try connection.execute("INSERT INTO item VALUES (1, 'item 1')")
      }
    }
    #expect(changes == .unknown(.schemaChanged))
  }

  @Test func aTableMadeAnewInAnotherFormIsReadInItsNewForm() throws {
    try database.write { connection in
      try connection.execute("DROP TABLE item")
      try connection.execute("CREATE TABLE item(id TEXT PRIMARY KEY, name) WITHOUT ROWID")
    }
    // The recorder hears of it when the next version is pinned, and reads it before the next write.
    _ = try database.snapshot()
    let touched = try changes {
      try database.write { try $0.execute("INSERT INTO item VALUES ('a', 'b')") }
    }.known()
    #expect(touched.rows(of: "item") == .keys([["a"]]))
  }

  @Test func aSchemaThatAnotherConnectionChangedIsReadAgain() throws {
    let other = try Connection(path: folder.file())
    try other.execute(
      script: """
        CREATE TABLE pair(a, b, PRIMARY KEY(b, a)) WITHOUT ROWID; INSERT INTO pair VALUES (1, 2);
        """)
    _ = try database.snapshot()
    let touched = try changes {
      try database.write { try $0.execute("INSERT INTO pair VALUES (3, 4)") }
    }.known()
    #expect(touched.rows(of: "pair") == .keys([[4, 3]]))
  }

  @Test func aSchemaThatChangesDuringAWriteIsNotTakenForTheOldOne() throws {
    let other = try Connection(path: folder.file())
    let table = TruthTable("pair", key: ["b", "a"])
    var before: Snapshot?
    try database.withWriter { connection in
      // The writer's recorder has read the schema by now.
      try other.execute("CREATE TABLE pair(a, b, PRIMARY KEY(b, a)) WITHOUT ROWID")
      before = try database.snapshot()
      try connection.execute("INSERT INTO pair VALUES (3, 4)")
    }
    let old = try #require(before)
    // It reads the schema again before the next write, which must not mix the two.
    try database.write { try $0.execute("INSERT INTO pair VALUES (5, 6)") }
    let new = try database.snapshot()
    #expect(try table.differences(between: old, and: new) == [[4, 3], [6, 5]])
    guard case .rows(let touched) = old.changes(to: new) else { return }
    #expect(try table.missed(by: touched, between: old, and: new).isEmpty)
  }

  @Test func rowsNotedByAnOldSchemaAreUnknown() throws {
    var before: Snapshot?
    var between: Snapshot?
    try database.withWriter { connection in
      try connection.execute("DROP TABLE item")
      try connection.execute("CREATE TABLE item(id TEXT PRIMARY KEY, name) WITHOUT ROWID")
      before = try database.snapshot()
      // Noted as rows of the table that it was.
      try connection.execute("INSERT INTO item VALUES ('a', 'b')")
      between = try database.snapshot()
      try connection.execute("INSERT INTO item VALUES ('c', 'd')")
    }
    let (first, second) = (try #require(before), try #require(between))
    #expect(first.capturedChanges(to: second) == .unknown(.schemaChanged))
    // Before this one the schema is read again.
    try database.write { try $0.execute("INSERT INTO item VALUES ('e', 'f')") }
    #expect(try second.capturedChanges(to: database.snapshot()) == .unknown(.schemaChanged))
  }

  @Test func theTableWrittenLastIsReadInItsNewForm() throws {
    let first = try database.snapshot()
    try delete(1, from: database)
    try Connection(path: folder.file()).execute(
      script: """
        DROP TABLE item; CREATE TABLE item(id TEXT PRIMARY KEY, name) WITHOUT ROWID;
        """)
    #expect(try database.snapshot() !== first)
    let touched = try changes {
      try database.write { try $0.execute("INSERT INTO item VALUES ('a', 'b')") }
    }.known()
    #expect(touched.rows(of: "item") == .keys([["a"]]))
  }

  // MARK: - Virtual tables

  @Test func aVirtualTableIsTouchedAsAWhole() throws {
    let options = try database.read { try $0.rows("PRAGMA compile_options").map(\.values) }
    guard options.contains([.text("ENABLE_FTS5")]) else { return }
    try database.write { connection in
      try connection.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
      try connection.execute("CREATE VIRTUAL TABLE words_of USING fts5(text)")
    }
    _ = try database.snapshot()
    let touched = try changes {
      try database.write { try $0.execute("INSERT INTO words_of VALUES ('hello')") }
    }.known()
    #expect(touched.rows(of: "words_of") == .all)
    #expect(touched.rows(of: "words") == nil)
    #expect(touched.count == nil)
  }

  @Test func theTablesOfSQLiteCountAsTouchedAlways() throws {
    let touched = try changes { try delete(1, from: database) }.known()
    #expect(touched.rows(of: "sqlite_sequence") == .all)
    #expect(touched.rows(of: "SQLITE_STAT1") == .all)
  }

  // MARK: - Snapshots

  @Test func aTransactionThatBeganUnobserved() throws {
    var before: Snapshot?
    try database.write { connection in
      try connection.execute("DELETE FROM item WHERE id = 1")
      // Until here nobody held a snapshot. Another thread may take one now.
      before = try database.keeper.snapshot()
      try connection.execute("DELETE FROM item WHERE id = 2")
    }
    let old = try #require(before)
    let changes = try old.capturedChanges(to: database.snapshot())
    #expect(changes == .unknown(.unobservedTransaction))
  }

  @Test func snapshotsOfTwoDatabases() throws {
    let other = try Database(path: folder.file())
    #expect(try database.snapshot().changes(to: other.snapshot()) == .unknown(.unrelated))
  }

  @Test func anOlderSnapshot() throws {
    let before = try database.snapshot()
    try delete(1, from: database)
    #expect(try database.snapshot().changes(to: before) == .unknown(.notNewer))
  }

  @Test func aFileInRollbackJournalMode() throws {
    var configuration = Database.Configuration()
    configuration.usesWAL = false
    let path = try folder.makeStore("plain.sqlite", journalMode: "DELETE")
    let database = try Database(path: path, configuration: configuration)
    let before = try database.snapshot()
    try delete(1, from: database)
    let after = try database.snapshot()
    #expect(before !== after)
    #expect(before.changes(to: after) == .unknown(.notInWALMode))
  }

  @Test func anAttachedFileInRollbackJournalMode() throws {
    let path = try folder.makeStore("plain.sqlite", journalMode: "DELETE")
    var configuration = Database.Configuration.unsynced
    configuration.usesWAL = false
    configuration.prepareConnection = { try $0.execute("ATTACH ? AS plain", [.text(path)]) }
    let database = try Database(path: folder.file(), configuration: configuration)
    let before = try database.snapshot()
    #expect(try database.snapshot() === before)
    try Connection(path: path).execute("DELETE FROM item WHERE id = 1")
    let after = try database.snapshot()
    #expect(before !== after)
    #expect(before.changes(to: after) == .unknown(.hasAttachedFiles))
  }

  @Test func anAttachedFileIsPutInWALMode() throws {
    let path = try folder.makeStore("plain.sqlite", journalMode: "DELETE")
    var configuration = Database.Configuration.unsynced
    configuration.prepareConnection = { try $0.execute("ATTACH ? AS plain", [.text(path)]) }
    let database = try Database(path: folder.file(), configuration: configuration)
    let mode = try database.read { try $0.value(String.self, "PRAGMA plain.journal_mode") }
    #expect(mode == "wal")
    // The versions of several files are not identified by one header.
    #expect(database.snapshotKind == .released)
    let before = try database.snapshot()
    let count = try before.read { try $0.value(Int.self, "SELECT count(*) FROM plain.item") }
    #expect(count == 3)
    try database.write { try $0.execute("DELETE FROM plain.item WHERE id = 1") }
    let after = try database.snapshot()
    #expect(before !== after)
    #expect(before.changes(to: after) == .unknown(.hasAttachedFiles))
  }

  @Test func aFileThatStoresUTF16() throws {
    let path = folder.file("wide.sqlite")
    let other = try Connection(path: path, access: .readWriteCreate)
    try other.execute(
      script: "PRAGMA encoding = 'UTF-16le'; CREATE TABLE item(id INTEGER PRIMARY KEY, name)")
    let database = try Database(path: path, configuration: .unsynced)
    #expect(database.snapshotKind == .pinned)
    let before = try database.snapshot()
    try database.write { try $0.execute("INSERT INTO item(name) VALUES ('new')") }
    #expect(before.changes(to: try database.snapshot()) == .unknown(.storesUTF16))
  }
}
