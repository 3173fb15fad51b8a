import FetchedResults
import SQLiteStorage
import TableData
import TableDataTesting

/// A record that the user orders, in lists.
struct Errand: FetchableRecord, Identifiable, Hashable {
  var id: Int64?
  var list: String?
  var title: String
  var position: Position

  static let recordDescription = RecordDescription(
    table: "errand", key: \.id, making: Errand.init,
    Column("id", \.id), Column("list", \.list), Column("title", \.title),
    Column("position", \.position))

  /// Two lists, `a` with three errands and `b` with two, of the ids 1 to 5.
  static func store() throws -> Database {
    let database = try Database.store(
      """
      CREATE TABLE errand(
        id INTEGER PRIMARY KEY, list TEXT, title TEXT NOT NULL, position TEXT NOT NULL,
        UNIQUE(list, position));
      """)
    try database.write { connection in
      for (list, titles) in [("a", ["1", "2", "3"]), ("b", ["4", "5"])] {
        for (title, position) in zip(titles, Position.series(titles.count)) {
          try connection.insert(Errand(list: list, title: title, position: position))
        }
      }
    }
    return database
  }

  /// The errands in their order, by list.
  static func provider(
    _ database: Database
  ) throws -> FetchedResultsProvider<Errand> {
    let provider = try FetchedResultsProvider(
      database: database, request: Errand.all.sorted(by: \.position), sectionedBy: \.list)
    try provider.performFetch()
    return provider
  }
}

/// Shows an errand.
final class ErrandCell: TableViewCell, Configurable {
  private(set) var text = ""

  func configure(with viewModel: Errand) { text = viewModel.title }
}

extension TableViewDataSource where Provider.Item == Errand {
  /// A data source with a cell for errands.
  static func showing(_ provider: Provider) throws -> TableViewDataSource {
    let source = try TableViewDataSource(dataProvider: provider)
    source.registerCell(ErrandCell.self, identifier: "errand", for: Errand.self)
    return source
  }
}

extension TableViewController {
  /// What the cells show of errands, from top to bottom.
  var shownErrands: [String] {
    tableView.visibleCells.map { ($0 as? ErrandCell)?.text ?? "?" }
  }
}
