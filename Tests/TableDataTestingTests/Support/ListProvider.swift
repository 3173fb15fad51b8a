import Foundation
import TableData
import TableDataTesting

/// A provider of rows in memory, each of whose answers can be replaced by a wrong one.
final class ListProvider: ViewModelDataProvider {
  typealias Row = RandomList.Row

  weak var observer: (any TableChangesObserver)?
  var content: [Section<Row>]
  var sectionsAnswer: (ListProvider) -> [SectionInfo] = { $0.content.map(\.info) }
  var countAnswer: (ListProvider) -> Int = { $0.content.count }
  var rowsAnswer: (ListProvider, Int) throws -> Int = { try $0.rows(inSection: $1) }
  var rowAnswer: (ListProvider, IndexPath) throws -> Row = { try $0.row(at: $1) }
  var titleAnswer: (ListProvider, Int) throws -> String? = { try $0.name(ofSection: $1) }
  var indexAnswer: (ListProvider) -> [String] = { $0.index.titles }
  var indexSectionAnswer: (ListProvider, String, Int) throws -> Int = {
    try $0.index.section(forTitle: $1, at: $2)
  }

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

  var index: SectionIndex { SectionIndex(sections: content.map(\.info)) }

  func rows(inSection section: Int) throws -> Int {
    guard content.indices.contains(section) else {
      throw TableDataError.sectionOutOfRange(section, count: content.count)
    }
    return content[section].items.count
  }

  func name(ofSection section: Int) throws -> String? {
    _ = try rows(inSection: section)
    return content[section].name
  }

  func row(at path: IndexPath) throws -> Row {
    guard path.count == 2 else { throw TableDataError.malformedIndexPath(path) }
    let count = try rows(inSection: path.section)
    guard 0..<count ~= path.row else { throw TableDataError.rowOutOfRange(path, count: count) }
    return content[path.section].items[path.row]
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
  var numberOfSections: Int { countAnswer(self) }

  func numberOfRows(inSection section: Int) throws -> Int { try rowsAnswer(self, section) }

  func itemForRow(at indexPath: IndexPath) throws -> Row {
    try rowAnswer(self, indexPath)
  }

  func indexPath(forIdentity identity: AnyHashable) -> IndexPath? { placeAnswer(self, identity) }

  func title(forSection section: Int) throws -> String? { try titleAnswer(self, section) }

  func willDisplayRow(at indexPath: IndexPath) throws { try onDisplay(self, indexPath) }

  func didEndDisplayingRow(withIdentity identity: AnyHashable) { onEndDisplay(self, identity) }

  func sectionIndexTitles() -> [String] { indexAnswer(self) }

  func section(forSectionIndexTitle title: String, at position: Int) throws -> Int {
    try indexSectionAnswer(self, title, position)
  }
}
