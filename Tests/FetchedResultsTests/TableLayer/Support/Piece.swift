import FetchedResults
import TableData
import TableDataTesting
import TestLists

/// What a row of a ``RandomTable`` shows, in words that tell whether it shows the right thing.
protocol Shown {
  var text: String { get }
}

/// A row in memory.
struct Piece: ItemViewModel, Shown, Hashable {
  let id: Int
  var text: String
}

/// What a row shows that is made of a piece. Different pieces may look the same.
struct LastLetter: ItemViewModel, Shown, Hashable {
  let id: Int
  let text: String

  init(_ piece: Piece) { (id, text) = (piece.id, String(piece.text.suffix(1))) }
}

/// A stored row of a `RandomList`.
struct StoredRow: FetchableRecord, Identifiable, Shown, Hashable {
  let id: Int
  let section: String
  let rank: Int
  let content: Int

  var text: String { Self.text(RandomList.Row(self)) }

  static func text(_ row: RandomList.Row) -> String {
    "\(row.id): \(row.section) \(row.rank) \(row.content)"
  }

  static let recordDescription = RecordDescription(
    table: "item", key: \.id, making: StoredRow.init,
    Column("id", \.id), Column("section", \.section), Column("rank", \.rank),
    Column("content", \.content))

  static let schema = "CREATE TABLE item(id INTEGER PRIMARY KEY, section TEXT, rank, content);"
}

/// What a row shows that is made of a stored row. Most changes of a row do not concern it.
struct ContentOnly: ItemViewModel, Shown, Hashable {
  let id: Int
  let text: String

  init(_ row: StoredRow) { (id, text) = (row.id, Self.text(row.content)) }

  static func text(_ content: Int) -> String { "content \(content)" }
}

extension PageStatus: Shown {
  var text: String { "\(edge) \(state)" }
}

extension RandomList.Row {
  fileprivate init(_ row: StoredRow) {
    self.init(id: row.id, section: row.section, rank: row.rank, content: row.content)
  }
}

extension RandomList.Edit {
  /// The edit of the stored row.
  var sql: String {
    switch self {
    case .insert(let row), .update(let row):
      "REPLACE INTO item VALUES (\(row.id), '\(row.section)', \(row.rank), \(row.content));"
    case .delete(let id): "DELETE FROM item WHERE id = \(id);"
    }
  }
}

/// A row that builds its own cell.
final class PieceGenerator: TableCellGenerator, ViewBuilding, Shown {
  let id: Int
  var text: String

  init(id: Int, text: String) {
    self.id = id
    self.text = text
  }

  func build(view: PieceCell) { view.text = text }
}

/// Shows the text of a generator.
class PieceCell: TableViewCell {
  var text = ""
}

/// Shows the text of a view model.
final class ShownCell<ViewModel: Shown>: PieceCell, Configurable {
  func configure(with viewModel: ViewModel) { text = viewModel.text }
}

extension TableViewDataSource {
  /// A data source with cells for stored rows and for the status of pages.
  static func shownPages(_ provider: Provider) throws -> TableViewDataSource {
    let source = try TableViewDataSource(dataProvider: provider)
    source.registerCell(ShownCell<StoredRow>.self, identifier: "StoredRow", for: StoredRow.self)
    source.registerCell(ShownCell<PageStatus>.self, identifier: "PageStatus", for: PageStatus.self)
    return source
  }
}

extension TableViewDataSource where Provider.Item: Shown {
  /// A data source with a cell for its items.
  static func shown(_ provider: Provider) throws -> TableViewDataSource {
    let source = try TableViewDataSource(dataProvider: provider)
    let type = Provider.Item.self
    source.registerCell(ShownCell<Provider.Item>.self, identifier: "\(type)", for: type)
    return source
  }
}
