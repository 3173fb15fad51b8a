import Testing

@testable import SQLiteStorage

/// What is known of the rows that differ between versions of which private copies were made.
@Suite(.timeLimit(.minutes(2))) struct SnapshotCopiesTests {
  private let store: ObservedStore

  init() throws { store = try ObservedStore() }

  private func leavingVersion() throws -> Snapshot {
    let snapshot = try store.database.snapshot()
    try snapshot.leaveFile { try Database.Configuration().privateCopy(of: $0, at: snapshot.stamp) }
    return snapshot
  }

  @Test func copiesAreComparedByTheirPages() throws {
    let old = try leavingVersion()
    try store.other.execute("UPDATE item SET name = 'x' WHERE id IN (7, 1900)")
    let new = try leavingVersion()
    let detected = old.detectedChanges(to: new)
    #expect(try detected.touched.known().rows(of: "item") == .rowIDs([7, 1900]))
    #expect(!detected.isCaptured)
    #expect(detected.obstacle == .otherWriter)
  }

  @Test func allListsOfAVersionShareTheComparison() throws {
    let old = try leavingVersion()
    try store.other.execute("DELETE FROM item WHERE id = 7")
    let new = try leavingVersion()
    let touched = old.changes(to: new)
    // Whoever compared again would find a file that is no copy.
    #expect(new.release())
    #expect(old.changes(to: new) == touched)
    #expect(try touched.known().rows(of: "item") == .rowIDs([7]))
  }

  @Test(arguments: [false, true])
  func aCopyIsComparedWithAPinnedVersion(isNewerTheCopy: Bool) throws {
    let old = try isNewerTheCopy ? store.database.snapshot() : leavingVersion()
    try store.other.execute("DELETE FROM item WHERE id = 7")
    let new = try isNewerTheCopy ? leavingVersion() : store.database.snapshot()
    // The pages of the pinned one are in the file, in the log, or overwritten by a newer commit.
    try store.other.execute("PRAGMA wal_checkpoint")
    try store.other.execute("DELETE FROM item WHERE id = 8")
    #expect(try old.changes(to: new).known().rows(of: "item") == .rowIDs([7]))
    #expect(old.detectedChanges(to: new).obstacle == .otherWriter)
  }

  @Test func nothingIsKnownOfCopiesWithOtherSchemas() throws {
    let old = try leavingVersion()
    try store.other.execute("CREATE TABLE other(x)")
    #expect(old.changes(to: try leavingVersion()) == .unknown(.schemaChanged))
  }

  @Test func aComparisonOfTheLogEndsWhenAVersionHasLeft() throws {
    let old = try store.database.snapshot()
    try store.other.execute("DELETE FROM item WHERE id = 7")
    let new = try store.database.snapshot()
    let (pages, older) = (try #require(old.pages), try #require(old.stamp))
    let newer = try #require(new.stamp)
    var callCount = 0
    let touched = pages.touched(from: older, to: newer, schemaVersion: old.schemaVersion) {
      callCount += 1
      return false
    }
    #expect(touched == .unknown(.logUnreadable))
    #expect(callCount == 1)
  }

  // MARK: - A copy that outlasts the release

  private func rollbackStore(attaching other: String? = nil) throws -> (Database, Connection) {
    let path = store.folder.file("rollback.sqlite")
    let writer = try Connection(path: path, access: .readWriteCreate)
    try writer.execute(
      script: "CREATE TABLE item(id INTEGER PRIMARY KEY, n); INSERT INTO item VALUES (1, 1), (2, 2)"
    )
    var configuration = Database.Configuration()
    configuration.usesWAL = false
    if let other {
      configuration.prepareConnection = { try $0.execute("ATTACH \(other) AS other") }
    }
    return (try Database(path: path, access: .readOnly, configuration: configuration), writer)
  }

  private func keptVersion(_ database: Database) throws -> Snapshot {
    try database.withSnapshot {
      $0.keepCopy()
      return $0
    }
  }

  @Test func aCopyIsReadAfterItsVersionWasReleased() throws {
    let (database, writer) = try rollbackStore()
    let old = try keptVersion(database)
    #expect(!old.isPinned)
    try writer.execute("UPDATE item SET n = 9 WHERE id = 2")
    let new = try keptVersion(database)
    let query: SQL = "SELECT n FROM item WHERE id = 2"
    #expect(databaseError { try old.read { _ in } }?.code == .versionExpired)
    #expect(try old.readKept { try $0.value(Int.self, query) } == 2)
    let both = try old.readAllKept(with: new) {
      [try $0.value(Int.self, query), try $1.value(Int.self, query)]
    }
    #expect(both == [2, 9])
    #expect(try old.changes(to: new).known().rows(of: "item") == .rowIDs([2]))
    old.dropCopy()
    #expect(databaseError { try old.readKept { _ in } }?.code == .versionExpired)
  }

  @Test func withoutAnybodyWhoNeedsItThereIsNoCopy() throws {
    let (database, writer) = try rollbackStore()
    let old = try database.withSnapshot { $0 }
    try writer.execute("DELETE FROM item")
    #expect(databaseError { try old.readKept { _ in } }?.code == .versionExpired)
    #expect(old.changes(to: try database.snapshot()) == .unknown(.notInWALMode))
  }

  /// A copy is of `main` alone.
  @Test func rowsOfAttachedFilesAreNotKnown() throws {
    let (database, writer) = try rollbackStore(attaching: store.folder.file())
    let old = try keptVersion(database)
    try writer.execute("UPDATE item SET n = 9 WHERE id = 2")
    let new = try keptVersion(database)
    #expect(old.changes(to: new) == .unknown(.hasAttachedFiles))
    let detected = old.detectedChanges(to: new, inMainAlone: true)
    #expect(try detected.touched.known().rows(of: "item") == .rowIDs([2]))
    #expect(detected.obstacle == .hasAttachedFiles)
  }
}
