import Foundation
import SQLiteStorage
import TableData
import TableDataTesting
import Testing

@testable import FetchedResults

/// Rows that the user of a table view drags.
@Suite struct MovingTableTests {
  @Test func aTableThatHasMovedTheRowItselfShowsTheList() throws {
    let ordered = try OrderedList(sections: [4, 3])
    let screen = try Screen(ordered.provider)
    let drags: [(IndexPath, IndexPath)] = [
      ([0, 3], [0, 0]), ([0, 0], [1, 3]), ([1, 1], [1, 0]), ([1, 3], [0, 1]), ([0, 2], [0, 1]),
    ]
    for (source, destination) in drags {
      // As in `tableView(_:moveRowAt:to:)`: the table moves its row, and is not told of it again.
      try ordered.provider.move(from: source, to: destination, by: OrderedList.byPosition)
      let changes = try ordered.provider.refresh()
      #expect(changes == TableChanges(movedRows: [.init(from: source, to: destination)]))
      try screen.table.moveRow(at: source, to: destination)
      #expect(try screen.shown == ordered.provider.lines())
      #expect(try ordered.provider.refresh().isEmpty)
    }
  }
}

/// A table that shows the identities of a provider's rows.
private final class Screen: ComposableTableViewDataSource {
  final class Cell: TableViewCell, Configurable {
    private(set) var identity: RowIdentity?
    func configure(with viewModel: RowIdentity) { identity = viewModel }
  }

  weak var observer: (any TableChangesObserver)?
  let provider: FetchedResultsProvider<Row>
  let table = TableView(height: 50)

  init(_ provider: FetchedResultsProvider<Row>) throws {
    self.provider = provider
    table.dataSource = self
    try table.reloadData()
  }

  var numberOfSections: Int { provider.numberOfSections }

  func section(_ section: Int) throws -> TableSection {
    TableSection(numberOfRows: try provider.numberOfRows(inSection: section))
  }

  func row(at indexPath: IndexPath) throws -> TableRow {
    TableRow(try provider.identity(at: indexPath), cell: TableCell(Cell.self))
  }

  /// What the cells show, as `lines()`.
  var shown: [String] {
    get throws {
      try (0..<table.numberOfSections).map { section in
        let name = try #require(try provider.sectionKey(at: section)).shortDescription
        let rows = try (0..<(try table.numberOfRows(inSection: section))).map { row in
          let cell = table.cellForRow(at: IndexPath(row: row, section: section)) as? Cell
          return try #require(cell?.identity).description
        }
        return ([name + ":"] + rows).joined(separator: " ")
      }
    }
  }
}
