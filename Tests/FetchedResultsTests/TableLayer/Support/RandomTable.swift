import Foundation
import SQLiteStorage
import TableData
import TableDataTesting
import Testing

@testable import FetchedResults

/// Every kind of content in nested lists on one strict table, changed at random.
final class RandomTable {
  var generator: SeededGenerator
  private var nextID = 1_000

  // Stored rows, and what must be stored.
  let database: Database
  var list: RandomList
  let bySection: FetchedResultsProvider<StoredRow>
  let first: FetchedResultsProvider<StoredRow>
  let folded: FoldedDataProvider<FilteredDataProvider<FetchedResultsProvider<StoredRow>>>

  // Rows in memory.
  let array: ArrayDataProvider<Piece>
  let sections: SectionDataProvider<Piece>
  let filtered: FilteredDataProvider<SectionDataProvider<Piece>>
  let form = DataDisplayManager()
  let spare: TableViewDataSource<ArrayDataProvider<Piece>>
  var divisor = 2

  let lists: [ComposedTableViewDataSource]
  let screen: TableViewController
  private let errors = Errors()

  private final class Errors {
    var all: [any Error] = []
  }

  init(seed: UInt64) throws {
    generator = SeededGenerator(seed: seed)
    list = RandomList(rowCount: 12, rankCount: 5, using: &generator)
    database = try .store(StoredRow.schema)
    try database.run(list.allRows.map { RandomList.Edit.insert($0).sql }.joined())
    let all = StoredRow.all.sorted(by: \.rank)
    bySection = try Self.fetched(database, all, isSectioned: true)
    first = try Self.fetched(
      database, StoredRow.all.sorted(by: \.content).limited(to: 5, offset: 1), isSectioned: false)
    folded = try FoldedDataProvider(
      try FilteredDataProvider(try Self.fetched(database, all, isSectioned: true)) {
        $0.content > 0
      })
    let pieces = (1...4).map { Piece(id: $0, text: "p\($0)") }
    array = try ArrayDataProvider(title: "Array", items: pieces)
    sections = try SectionDataProvider(sections: [Section(name: "S", items: pieces)])
    filtered = try FilteredDataProvider(
      try SectionDataProvider(sections: [Section(name: "F", items: pieces)])
    ) { $0.id.isMultiple(of: 2) }
    spare = try .shown(try ArrayDataProvider(title: "Spare", items: pieces))
    let innermost = try ComposedTableViewDataSource([
      try TableViewDataSource.shown(bySection), try TableViewDataSource.shown(filtered),
    ])
    let inner = try ComposedTableViewDataSource([
      try TableViewDataSource.shown(array), innermost, form,
    ])
    let outer = try ComposedTableViewDataSource([
      try TableViewDataSource.shown(folded), inner, try ComposedTableViewDataSource(),
      try TableViewDataSource.shown(first), try TableViewDataSource.shown(sections),
    ])
    lists = [outer, inner, innermost]
    screen = TableViewController(height: 12) { [errors] in errors.all.append($0) }
    try screen.setDataSource(outer)
  }

  private static func fetched(
    _ database: Database, _ request: FetchRequest<StoredRow>, isSectioned: Bool
  ) throws -> FetchedResultsProvider<StoredRow> {
    let provider = try FetchedResultsProvider(
      database: database, request: request,
      sectionedBy: isSectioned ? .property(\.section) : nil)
    try provider.performFetch()
    return provider
  }

  // MARK: Numbers

  func number(in range: Range<Int>) -> Int { .random(in: range, using: &generator) }

  func newPiece() -> Piece {
    nextID += 1
    return Piece(id: nextID, text: "p\(nextID)")
  }

  // MARK: What there must be

  /// A list as plain sections of texts.
  typealias Content = [[String]]

  /// What the components have, read without the lists and the table.
  func content() throws -> Content {
    var parts: [ObjectIdentifier: Content] = [:]
    func set(_ source: (any TableChangesObserver)?, _ content: Content) {
      if let source { parts[ObjectIdentifier(source)] = content }
    }
    let stored = list.sections.map { $0.items }
    set(bySection.observer, stored.map { $0.map(StoredRow.text) })
    let byContent = list.allRows.sorted { ($0.content, $0.id) < ($1.content, $1.id) }
    set(first.observer, [byContent.dropFirst().prefix(5).map(StoredRow.text)])
    set(
      folded.observer,
      try stored.enumerated().map { section, rows in
        try folded.isFolded(section: section)
          ? [] : rows.filter { $0.content > 0 }.map(StoredRow.text)
      })
    set(array.observer, [array.items.map(\.text)])
    set(sections.observer, sections.content.map { $0.items.map(\.text) })
    set(
      filtered.observer,
      filtered.base.content.map { section in
        section.items.filter { $0.id.isMultiple(of: divisor) }.map(\.text)
      })
    set(spare, [spare.dataProvider.items.map(\.text)])
    var generators = form.cellGenerators[...]
    parts[ObjectIdentifier(form)] = try (0..<form.numberOfSections).map { section in
      let count = try form.numberOfRows(inSection: section)
      defer { generators = generators.dropFirst(count) }
      return generators.prefix(count).map { ($0 as? PieceGenerator)?.text ?? "?" }
    }
    func content(of list: ComposedTableViewDataSource) -> Content {
      list.components.flatMap { component in
        (component as? ComposedTableViewDataSource).map(content(of:))
          ?? parts[ObjectIdentifier(component)] ?? [["?"]]
      }
    }
    return content(of: lists[0])
  }

  /// Checks that the list and the table have what there must be.
  func check() throws {
    try #require(errors.all.isEmpty, "\(errors.all)")
    let content = try content()
    let outer = lists[0]
    let read = try (0..<outer.numberOfSections).map { section in
      try (0..<outer.numberOfRows(inSection: section)).map { row in
        let shown = try outer.viewModelForRow(at: IndexPath(row: row, section: section))
        return (shown as? any Shown)?.text ?? "?"
      }
    }
    try #require(read == content)
    let table = screen.tableView
    try #require(table.numbersOfRows == content.map(\.count))
    let window = content.flatMap(\.self).dropFirst(table.contentOffset).prefix(table.height)
    try #require(table.visibleCells.map { ($0 as? PieceCell)?.text ?? "?" } == Array(window))
  }
}
