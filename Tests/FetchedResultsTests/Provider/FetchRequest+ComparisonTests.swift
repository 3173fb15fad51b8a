import FetchedResults
import FetchedResultsExplaining
import SQLiteStorage
import TableData
import Testing

/// The result of a request in two databases.
struct FetchRequestComparisonTests {
  @Test func theChangesLeadFromOneResultToTheOther() throws {
    let old = try Track.store()
    let new = try Track.store(
      """
      DELETE FROM track WHERE id = 1;
      UPDATE track SET milliseconds = 201 WHERE id = 2;
      INSERT INTO track VALUES (6, 'Milestones', 'Jazz', 340);
      """)
    let update = try Track.all.sorted(by: \.name)
      .compared(from: old, to: new, sectionedBy: .property(\.genre))
    let before = try #require(update.old)
    guard case .comparison? = update.source else {
      Issue.record("\(update.source as Any)")
      return
    }
    #expect(!update.isReset)
    #expect(before.numberOfRows == 5 && update.new.numberOfRows == 5)
    #expect(try update.changes.deletedRows.map { try before.object(at: $0).id } == [1])
    #expect(try update.changes.insertedRows.map { try update.new.object(at: $0).id } == [6])
    #expect(update.changes.updatedRows.count == 1)
  }

  @Test func equalResultsHaveNoChanges() throws {
    let update = try Track.all.sorted(by: \.name).compared(from: Track.store(), to: Track.store())
    #expect(update.changes.isEmpty)
  }

  @Test func otherColumnsAreNotCompared() throws {
    let error = #expect(throws: FetchError.self) {
      _ = try FetchRequest(table: "t").compared(
        from: .store("CREATE TABLE t(id INTEGER PRIMARY KEY, a)"),
        to: .store("CREATE TABLE t(id INTEGER PRIMARY KEY, b)"))
    }
    #expect(error?.code == .incomparable)
  }

  /// A file that is not in WAL mode, whose versions are released after each read.
  private func releasedStore(_ more: String = "") throws -> (TestFolder, Database, Connection) {
    let folder = try TestFolder()
    let writer = try Connection(path: folder.file("store.db"), access: .readWriteCreate)
    try writer.execute("PRAGMA synchronous = OFF")
    try writer.execute(script: Track.sample + more)
    var configuration = Database.Configuration()
    configuration.usesWAL = false
    let database = try Database(
      path: folder.file("store.db"), access: .readOnly, configuration: configuration)
    #expect(database.snapshotKind == .released)
    return (folder, database, writer)
  }

  @Test(arguments: [true, false])
  func bothResultsCanBeReadAfterACommit(isOldPinned: Bool) throws {
    let (folder, released, writer) = try releasedStore("DELETE FROM track WHERE id = 1")
    defer { withExtendedLifetime(folder) {} }
    let pinned = try Track.store()
    let update = try Track.all.sorted(by: \.name).compared(
      from: isOldPinned ? pinned : released, to: isOldPinned ? released : pinned,
      sectionedBy: .property(\.genre))
    #expect(!update.isReset)
    #expect(update.changes.deletedRows.count == (isOldPinned ? 1 : 0))
    #expect(update.changes.insertedRows.count == (isOldPinned ? 0 : 1))
    try writer.execute("UPDATE track SET name = 'other'")
    let names = try update.new.objects.indices.map { try update.new.object(at: $0).name }
    #expect(names.contains("Anthem") && names.contains("Blue") != isOldPinned)
    let before = try #require(update.old)
    for row in update.changes.deletedRows {
      #expect(try before.object(at: row).name == "Blue")
    }
  }

  @Test func aDatabaseIsComparedBesideAWriter() async throws {
    let (folder, database, writer) = try releasedStore()
    defer { withExtendedLifetime(folder) {} }
    let isDone = Locked(false)
    let path = folder.file("store.db")
    let writing = Task.detached {
      let writer = try Connection(path: path)
      try writer.execute("PRAGMA synchronous = OFF")
      while !isDone.withLock({ $0 }) {
        try writer.execute("UPDATE track SET milliseconds = milliseconds + 1")
      }
    }
    let other = try Track.store()
    for _ in 0..<60 {
      _ = try Track.all.sorted(by: \.name).compared(from: other, to: database)
      _ = try Track.all.explained(in: database, sectionedBy: \.genre)
    }
    isDone.withLock { $0 = true }
    try await writing.value
    withExtendedLifetime(writer) {}
  }

  @Test func aListWhoseVersionHasExpiredIsExplainedInTheNewest() throws {
    let (folder, database, writer) = try releasedStore()
    defer { withExtendedLifetime(folder) {} }
    let provider = try FetchedResultsProvider(database: database, request: Track.all)
    try provider.performFetch()
    try writer.execute("UPDATE track SET name = 'other'")
    #expect(try provider.explanation().key == ["id"])
  }
}
