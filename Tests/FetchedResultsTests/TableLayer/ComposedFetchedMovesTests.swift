import FetchedResults
import Foundation
import SQLiteStorage
import TableData
import TableDataTesting
import Testing

/// Records that go from one fetched list of a composition to another (contract, rule 27).
struct ComposedFetchedMovesTests {
  struct Errand: Codable, Identifiable, FetchableRecord {
    let id: Int64
    let title: String
    let isDone: Bool

    static let recordDescription = RecordDescription(table: "errand", key: \Errand.id)
  }

  final class ErrandCell: TableViewCell, Configurable {
    private(set) var text = ""
    func configure(with errand: Errand) { text = "\(errand.title)\(errand.isDone ? "!" : "")" }
  }

  @MainActor private final class Lists {
    let database: Database
    let open: FetchedResultsProvider<Errand>
    let done: FetchedResultsProvider<Errand>
    let list: ComposedTableViewDataSource
    let screen: TableViewController

    init() throws {
      let database = try Database.inMemory()
      try database.write { connection in
        try connection.execute(
          script: """
            CREATE TABLE errand(
              id INTEGER PRIMARY KEY, title TEXT NOT NULL, isDone INTEGER NOT NULL);
            INSERT INTO errand VALUES (1, 'Milk', 0), (2, 'Bread', 0), (3, 'Post', 1);
            """)
      }
      let open = try Self.fetched(false, from: database)
      let done = try Self.fetched(true, from: database)
      list = try ComposedTableViewDataSource(
        [open, done].map { provider in
          let source = try TableViewDataSource(dataProvider: provider)
          source.registerCell(ErrandCell.self, identifier: "errand", for: Errand.self)
          return source
        })
      screen = TableViewController { Issue.record($0) }
      try screen.setDataSource(list)
      open.startObserving()
      done.startObserving()
      (self.database, self.open, self.done) = (database, open, done)
    }

    private static func fetched(
      _ isDone: Bool, from database: Database
    ) throws -> FetchedResultsProvider<Errand> {
      let provider = try FetchedResultsProvider(
        database: database,
        request: Errand.all.filter("\(\.isDone) = \(isDone)").sorted(by: \.title))
      try provider.performFetch()
      return provider
    }

    var shown: [String] {
      screen.tableView.visibleCells.map { ($0 as? ErrandCell)?.text ?? "?" }
    }
  }

  /// It was deleted in one list and inserted in the other, and was no longer selected.
  @Test @MainActor func anErrandThatIsDoneMovesAndStaysSelected() async throws {
    let lists = try Lists()
    #expect(lists.shown == ["Bread", "Milk", "Post!"])
    try lists.screen.selectRow(at: [0, 1])
    try await lists.database.write { try $0.execute("UPDATE errand SET isDone = 1 WHERE id = 1") }
    try await lists.open.refresh()
    #expect(lists.shown == ["Bread", "Milk!", "Post!"])
    #expect(lists.screen.tableView.indexPathForSelectedRow == [1, 0])
    #expect(lists.screen.selection.identity(as: Int64.self) == 1)

    try lists.screen.setDataSource(nil)
    let harness = try ProviderHarness(try DataSourceProvider(lists.list))
    harness.observe()
    try await lists.database.write {
      try $0.execute("UPDATE errand SET isDone = 1 - isDone WHERE id > 1")
    }
    try await lists.done.refresh()
    #expect(harness.batches.map(\.description) == ["[1,1]>[0,0] [0,0]>[1,0]"])
    try harness.checkObserved()
  }
}
