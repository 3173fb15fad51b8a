import Foundation
import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

/// What a change was before, on demand.
@Suite struct PreviousContentTests {
  /// A delegate that asks what was.
  private final class Asker: FetchedResultsProviderDelegate {
    var lines: [String] = []

    private func note(_ line: () throws -> String) {
      do { lines.append(try line()) } catch { lines.append("\(error)") }
    }

    func providerWillChangeContent(_ provider: FetchedResultsProvider<Track>) {
      note { "will \(try provider.previousObject(at: [0, 0]).id)" }
    }

    func provider(_ provider: FetchedResultsProvider<Track>, didChange changes: TableChanges) {}

    func provider(_ provider: FetchedResultsProvider<Track>, didChange change: RowChange) {
      switch change {
      case .delete(let path): note { "was \(try provider.previousObject(at: path).name)" }
      case .insert(let path): note { "is \(try provider.object(at: path).name)" }
      case .move(let old, let new), .update(let old, let new):
        note {
          try provider.changedColumns(from: old, to: new)
            .map { "\($0.column): \($0.old.shortDescription) > \($0.new.shortDescription)" }.joined(
              separator: ", ")
        }
      }
    }

    func providerDidChangeContent(_ provider: FetchedResultsProvider<Track>) {
      note { "did \(try provider.previousObject(at: [0, 4]).name)" }
    }
  }

  @Test func oldRecordsAndChangedColumnsCanBeReadDuringABatch() throws {
    let database = try Track.store()
    let provider = try FetchedResultsProvider(
      database: database, request: Track.all.sorted(by: \.name))
    let asker = Asker()
    provider.delegate = asker
    try provider.performFetch()
    try database.run(
      """
      DELETE FROM track WHERE id = 1; INSERT INTO track VALUES (9, 'Bell', NULL, 1);
      UPDATE track SET genre = NULL, milliseconds = 101 WHERE id = 3;
      UPDATE track SET name = 'Azur' WHERE id = 4;
      """)
    try provider.refresh()
    #expect(
      asker.lines == [
        "no batch of changes is being delivered, so there is no previous content. "
          + "Call it from the delegate's didChange methods, or in providerDidChangeContent",
        "was Blue", "is Bell", "name: \"Cello\" > \"Azur\"",
        "genre: \"Rock\" > NULL, milliseconds: 100 > 101",
        "did Zoo",
      ])
    let error = #expect(throws: FetchError.self) { try provider.previousObject(at: [0, 0]) }
    #expect(error?.code == .noPreviousContent)
  }

  @Test func oldPlacesOutOfRangeAreNamed() throws {
    let database = try Track.store()
    let provider = try FetchedResultsProvider(database: database, request: Track.all)
    let recorder = Recorder<Track>()
    provider.delegate = recorder
    recorder.onDid = { provider in
      #expect(throws: TableDataError.self) { try provider.previousObject(at: [0, 5]) }
      #expect(throws: TableDataError.self) {
        try provider.changedColumns(from: [1, 0], to: [0, 0])
      }
    }
    try provider.performFetch()
    try database.run("DELETE FROM track WHERE id = 1")
    try provider.refresh()
    #expect(recorder.batches.count == 1)
  }

  @Test func otherValuesAreReadFromTheShownVersion() throws {
    let database = try Track.store()
    let provider = try FetchedResultsProvider(database: database, request: Track.all)
    #expect(provider.databaseSnapshot == nil)
    try provider.performFetch()
    try database.run("DELETE FROM track WHERE id > 1")
    let count = "SELECT count(*) FROM track"
    #expect(try provider.databaseSnapshot?.read { try $0.value(Int.self, count) } == 5)
    try provider.refresh()
    #expect(try provider.databaseSnapshot?.read { try $0.value(Int.self, count) } == 1)
  }
}
