import Foundation
import TableData
import TableDataTesting
import TestLists

/// A provider of rows in memory, each of whose answers can be replaced by a wrong one.
final class ListProvider: RowDisplayObserver {
  typealias Row = RandomList.Row

  weak var observer: (any TableChangesObserver)?
  var content: [Section<Row>]
  var sectionsAnswer: (ListProvider) -> [SectionInfo] = { $0.content.map(\.info) }
  var rowAnswer: (ListProvider, IndexPath) throws -> Row = { $0.content[$1.section].items[$1.row] }
  var placeAnswer: (ListProvider, AnyHashable) -> IndexPath? = { $0.place(of: $1) }

  var onDisplay: (ListProvider, IndexPath) throws -> Void = { _, _ in }
  var onEndDisplay: (ListProvider, AnyHashable) -> Void = { _, _ in }

  init(_ content: [Section<Row>]) { self.content = content }

  /// Makes a list of sections with rows of these ids.
  convenience init(_ ids: [String: [Int]]) {
    self.init(Self.sections(ids))
  }

  static func sections(_ ids: [String: [Int]]) -> [Section<Row>] {
    ids.sorted { $0.key < $1.key }.map { name, ids in
      Section(
        name: name,
        items: ids.map { Row(id: $0, section: name, rank: 0, content: 0) })
    }
  }

  func place(of identity: AnyHashable) -> IndexPath? {
    for (number, section) in content.enumerated() {
      if let row = section.items.firstIndex(where: { AnyHashable($0.id) == identity }) {
        return IndexPath(row: row, section: number)
      }
    }
    return nil
  }

  /// Changes the content and reports that.
  func change(_ changes: TableChanges, _ body: (inout [Section<Row>]) -> Void) {
    observer?.contentWillChange(of: self)
    body(&content)
    observer?.contentDidChange(of: self, by: changes)
  }

  // MARK: ViewModelDataProvider

  var sections: [SectionInfo] { sectionsAnswer(self) }

  func item(at indexPath: IndexPath) throws -> Row { try rowAnswer(self, indexPath) }

  func indexPath(forIdentity identity: AnyHashable) -> IndexPath? { placeAnswer(self, identity) }

  func willDisplayRow(at indexPath: IndexPath) throws { try onDisplay(self, indexPath) }

  func didEndDisplayingRow(withIdentity identity: AnyHashable) { onEndDisplay(self, identity) }
}
