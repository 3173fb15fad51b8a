import FetchedResults
import Foundation
import SQLiteStorage
import TableData
import TableDataTesting
import Testing

/// A list of a SELECT in SQLite, which moves from version to version by its changes alone.
final class SharedList {
  let select: SharedSelect
  private let provider: FetchedResultsProvider<Row>
  private let harness: ProviderHarness<IdentifiedRows, RowIdentity>
  private let witness = SourceWitness()

  init(_ select: SharedSelect, _ database: Database) throws {
    self.select = select
    let request = FetchRequest(
      select: SQL(verbatim: select.sql), key: select.key.isEmpty ? nil : select.key
    )
    .sorted(
      by: select.order.map { .by(\Row[$0.column], $0.isDescending ? .descending : .ascending) })
    provider = try FetchedResultsProvider(
      database: database, request: request,
      sectionedBy: select.section.map { .property(\Row[$0]) })
    provider.delegate = witness
    try provider.performFetch()
    harness = try ProviderHarness(
      IdentifiedRows(provider), sectionID: { try $0.base.sectionKey(at: $1) })
  }

  /// Moves to the newest version, and checks that the changes lead there.
  ///
  /// - Parameter place: where the test is, for its failure.
  func refresh(_ place: String) throws {
    do {
      let changes = try provider.refresh()
      if changes.isEmpty { try harness.checkNothingChanged() } else { try harness.follow(changes) }
    } catch {
      Issue.record(error, "\(place)\n\(select.sql)")
      throw error
    }
  }

  /// Expects that the list shows the rows of PostgreSQL, in the order of the list.
  func expect(_ answer: SharedRows, _ place: String) throws {
    var answer = answer
    let objects = try #require(provider.fetchedObjects)
    let rows = try (0..<objects.count).map { try objects.object(at: $0) }
    var shown = SharedRows(
      columns: rows.first?.columnNames.names ?? answer.columns, rows: rows.map(\.values))
    answer.sort(by: select.sortedColumns)
    // Rows without a key have no order.
    if select.key.isEmpty { shown.sort(by: []) }
    let isSame = shown == answer
    try #require(
      isSame,
      """
      \(place)
      \(select.sql)
      the list:
      \(shown)
      PostgreSQL:
      \(answer)
      """)
  }

  /// How changed rows were detected so far.
  var sources: Set<ChangeSource> { witness.sources }

  /// Whether the list is kept by comparison of all rows.
  var isCompared: Bool {
    if case .comparison = provider.maintenance { true } else { false }
  }
}

/// Notes how changed rows were detected.
private final class SourceWitness: FetchedResultsProviderDelegate {
  private(set) var sources: Set<ChangeSource> = []

  func provider(_ provider: FetchedResultsProvider<Row>, didChange changes: TableChanges) {
    if let source = provider.changeSource { sources.insert(source) }
  }
}

/// A provider of rows with their identities, as the harness needs them.
private final class IdentifiedRows: ViewModelDataProvider {
  struct Item: Identifiable, Equatable {
    let id: RowIdentity
    let values: [Value]
  }

  let base: FetchedResultsProvider<Row>
  weak var observer: (any TableChangesObserver)?

  init(_ base: FetchedResultsProvider<Row>) { self.base = base }

  var sections: [SectionInfo] { base.sections }

  func item(at indexPath: IndexPath) throws -> Item {
    Item(
      id: try base.identity(at: indexPath), values: try base.object(at: indexPath).values)
  }
}
