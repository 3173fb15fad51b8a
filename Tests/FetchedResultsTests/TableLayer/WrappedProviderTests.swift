import Foundation
import SQLiteStorage
import TableData
import TableDataTesting
import Testing

@testable import FetchedResults

/// Lists made of a fetched one, read by a delegate that is notified before them.
@Suite struct WrappedProviderTests {
  /// Reads a list at each call.
  private final class Reader: FetchedResultsProviderDelegate {
    let read: () throws -> Void
    init(_ read: @escaping () throws -> Void) { self.read = read }

    private func readAll() {
      do { try read() } catch { Issue.record(error) }
    }

    func providerWillChangeContent(_ provider: FetchedResultsProvider<Errand>) { readAll() }
    func provider(_ provider: FetchedResultsProvider<Errand>, didChange changes: TableChanges) {
      readAll()
    }
    func providerDidChangeContent(_ provider: FetchedResultsProvider<Errand>) { readAll() }
  }

  @Test(arguments: [false, true])
  func viewModelsAreThoseOfTheirRowsThoughTheyAreReadInBetween(isWarm: Bool) throws {
    let database = try Errand.store()
    let provider = try Errand.provider(database)
    let rows = try provider.map { "\($0.id ?? 0): \($0.title)" }
    func all() throws -> [[String]] {
      try (0..<rows.numberOfSections).map { section in
        try (0..<rows.numberOfRows(inSection: section)).map {
          try rows.itemForRow(at: IndexPath(row: $0, section: section))
        }
      }
    }
    let reader = Reader { _ = try all() }
    provider.delegate = reader
    if isWarm { _ = try all() }
    let top = Position.between(nil, try provider.object(at: [0, 0]).position).rawValue
    for sql in [
      "INSERT INTO errand VALUES (9, 'a', 'first', '\(top)')", "DELETE FROM errand WHERE id = 2",
      "UPDATE errand SET title = 'other' WHERE id = 3",
    ] {
      try database.run(sql)
      try provider.refresh()
      let expected = try (0..<provider.numberOfSections).map { section in
        try (0..<provider.numberOfRows(inSection: section)).map { row in
          let errand = try provider.object(at: IndexPath(row: row, section: section))
          return "\(errand.id ?? 0): \(errand.title)"
        }
      }
      #expect(try all() == expected)
    }
  }

  @Test func aRowOfANewSectionIsSearchedInAFoldedListInBetween() throws {
    let database = try Errand.store()
    let provider = try Errand.provider(database)
    let folded = try FoldedDataProvider(provider)
    let reader = Reader { _ = try folded.indexPath(forIdentity: AnyHashable(Int64(9))) }
    provider.delegate = reader
    try database.run("INSERT INTO errand VALUES (9, 'z', 'last', '\(Position.first.rawValue)')")
    try provider.refresh()
    #expect(try folded.indexPath(forIdentity: AnyHashable(Int64(9))) == [2, 0])
  }
}
