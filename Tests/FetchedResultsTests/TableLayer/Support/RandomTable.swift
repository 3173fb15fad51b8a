import Foundation
import SQLiteStorage
import TableData
import TableDataTesting
import TestLists
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

  let mappedRows: MappedDataProvider<FetchedResultsProvider<StoredRow>, ContentOnly>
  let pages: PagingDataProvider<FetchedResultsProvider<StoredRow>>
  /// The number of rows in the pages that are loaded.
  let loaded = Count()

  final class Count {
    var value = 2
  }

  // Rows in memory.
  let array: ArrayDataProvider<Piece>
  let sections: SectionDataProvider<Piece>
  let filtered: FilteredDataProvider<SectionDataProvider<Piece>>
  let mapped: MappedDataProvider<SectionDataProvider<Piece>, LastLetter>
  let form = DataDisplayManager()
  let spare: TableViewDataSource<ArrayDataProvider<Piece>>
  var divisor = 2
  /// The content that the search in the folded list leaves out, and everything below.
  var floor = 0

  let lists: [ComposedTableViewDataSource]
  let selection = Selection(allowsMultipleSelection: true)
  /// The row that the user selected for each item.
  var chosen: [AnyHashable: AnyHashable] = [:]
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
    mappedRows = try Self.fetched(database, all, isSectioned: true).map { ContentOnly($0) }
    let byContent = StoredRow.all.sorted(by: \.content)
    let window = try Self.fetched(
      database, byContent.limited(to: loaded.value), isSectioned: false)
    pages = try PagingDataProvider(
      window, edges: [.start, .end],
      store: { [loaded] (page: LoadedPage<Int, Int>, _) in
        loaded.value += 2
        try window.setRequest(byContent.limited(to: loaded.value))
      }, load: Self.loadPage)
    let pieces = (1...4).map { Piece(id: $0, text: "p\($0)") }
    array = try ArrayDataProvider(title: "Array", items: pieces)
    sections = try SectionDataProvider(sections: [Section(name: "S", items: pieces)])
    filtered = try FilteredDataProvider(
      try SectionDataProvider(sections: [Section(name: "F", items: pieces)])
    ) { $0.id.isMultiple(of: 2) }
    mapped = try SectionDataProvider(sections: [Section(name: "M", items: pieces)])
      .map { LastLetter($0) }
    spare = try .shown(try ArrayDataProvider(title: "Spare", items: pieces))
    lists = try (0..<3).map { _ in try ComposedTableViewDataSource() }
    let components: [any ComposableTableViewDataSource] = [
      try TableViewDataSource.shown(bySection), try TableViewDataSource.shown(filtered),
      try TableViewDataSource.shown(mapped), try TableViewDataSource.shown(array), form,
      try TableViewDataSource.shown(folded), try ComposedTableViewDataSource(),
      try TableViewDataSource.shown(first), try TableViewDataSource.shown(sections),
      try TableViewDataSource.shown(mappedRows), try TableViewDataSource.shownPages(pages),
    ]
    for component in components.shuffled(using: &generator) {
      try lists[.random(in: 0..<3, using: &generator)].append(component)
    }
    // Each list is somewhere in the one before it.
    for (inner, outer) in zip(lists.dropFirst(), lists) {
      let index = Int.random(in: 0...outer.components.count, using: &generator)
      try outer.insert(inner, at: index)
    }
    // Titles that depend on the rows.
    (filtered.observer as? TableViewDataSource<FilteredDataProvider<SectionDataProvider<Piece>>>)?
      .footerTitle = { [filtered] in "\(try filtered.numberOfRows(inSection: $0)) rows" }
    screen = TableViewController(selection: selection, height: 12) { [errors] in
      errors.all.append($0)
    }
    try screen.setDataSource(lists[0])
  }

  /// The last page at the start is never loaded.
  @Sendable private static func loadPage(
    _ request: PageRequest<Int>
  ) throws -> LoadedPage<Int, Int> {
    let page = request.cursor ?? 0
    if page >= 4, request.edge == .start { throw CancellationError() }
    return LoadedPage([], cursor: page + 1, isLast: page >= 4)
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
          ? [] : rows.filter { $0.content > floor }.map(StoredRow.text)
      })
    set(
      mappedRows.observer, stored.map { $0.map { ContentOnly.text($0.content) } })
    func status(_ edge: PageEdge) -> [String] { [pages.status(at: edge)?.text ?? "?"] }
    set(
      pages.observer,
      [status(.start), byContent.prefix(loaded.value).map(StoredRow.text), status(.end)])
    set(array.observer, [array.items.map(\.text)])
    set(sections.observer, sections.content.map { $0.items.map(\.text) })
    set(
      filtered.observer,
      filtered.base.content.map { section in
        section.items.filter { $0.id.isMultiple(of: divisor) }.map(\.text)
      })
    set(
      mapped.observer, mapped.base.content.map { $0.items.map { LastLetter($0).text } })
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
        let shown = try outer.row(at: IndexPath(row: row, section: section)).viewModel
        return (shown as? any Shown)?.text ?? "?"
      }
    }
    try #require(read == content)
    let table = screen.tableView
    try #require(table.numbersOfRows == content.map(\.count))
    let window = content.flatMap(\.self).dropFirst(table.contentOffset).prefix(table.height)
    try #require(table.visibleCells.map { ($0 as? PieceCell)?.text ?? "?" } == Array(window))
    for section in content.indices {
      try #require(
        try table.titleForHeader(inSection: section) == outer.section(section).header.title)
      try #require(
        try table.titleForFooter(inSection: section) == outer.section(section).footer.title)
    }
    try checkSelection()
  }

  /// Checks that a row is selected for each selected item, if that row is there, and no other.
  private func checkSelection() throws {
    let selected = screen.tableView.indexPathsForSelectedRows
    let items = try selected.compactMap { try lists[0].row(at: $0).itemIdentity }
    try #require(items.count == selected.count)
    try #require(Set(items).count == items.count)
    try #require(items.allSatisfy(selection.contains))
    for item in selection.identities {
      let row = try #require(chosen[item])
      if let path = try lists[0].indexPath(forIdentity: row) {
        try #require(selected.contains(path))
      }
    }
  }
}
