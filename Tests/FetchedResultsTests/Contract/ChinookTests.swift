import FetchedResults
import Foundation
import SQLiteStorage
import TableData
import Testing

private let chinook = URL(filePath: #filePath).deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent().appending(path: "shared/data/chinook.sqlite").path

/// A real database, where it lies beside the package.
@Suite(.enabled(if: FileManager.default.fileExists(atPath: chinook)))
struct ChinookTests {
  private let database: Database

  init() throws { database = try Database(path: chinook, access: .readOnly) }

  @Test func tracksByGenreSortedByNameAreAllThereInOrder() throws {
    #expect(database.snapshotKind == .released)
    let provider = try FetchedResultsProvider(
      database: database, request: FetchRequest(table: "Track").sorted(by: \Row["Name"]),
      sectionedBy: \Row["GenreId"])
    try provider.performFetch()
    #expect(provider.numberOfSections == 25)
    #expect(provider.sections.reduce(0) { $0 + $1.numberOfRows } == 3_503)
    #expect(provider.sections.map(\.name) == (1...25).map(String.init))
    let expected = try database.read {
      try $0.rows("SELECT * FROM Track ORDER BY GenreId, Name, TrackId")
    }
    #expect(provider.fetchedObjects.map(Array.init) == expected)
    for row in stride(from: 0, to: provider.sections[0].numberOfRows, by: 97) {
      let identity = try provider.identity(at: [0, row])
      #expect(try provider.indexPath(forIdentity: identity) == [0, row])
    }
  }

  @Test func aCompositeKeyOfTheRealFileWorks() throws {
    let provider = try FetchedResultsProvider(
      database: database, request: FetchRequest(table: "PlaylistTrack"),
      sectionedBy: \Row["PlaylistId"])
    try provider.performFetch()
    let count = try database.read { try $0.value(Int.self, "SELECT count(*) FROM PlaylistTrack") }
    #expect(provider.fetchedObjects?.count == count)
    let identity = try provider.identity(at: [2, 7])
    #expect(identity.values.count == 2)
    #expect(try provider.indexPath(forIdentity: identity) == [2, 7])
  }
}
