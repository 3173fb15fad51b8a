import Foundation
import TableData
import TableDataTesting
import Testing

struct TableViewControllerTests {
  private final class Errors {
    var all: [any Error] = []
  }

  private let errors = Errors()
  let selection = Selection()
  let router = DestinationRouter()
  let screen: TableViewController
  let provider: SectionDataProvider<Item>
  let source: TableViewDataSource<SectionDataProvider<Item>>

  init() throws {
    screen = TableViewController(
      selection: selection, router: router, height: 100,
      onError: { [errors] in errors.all.append($0) })
    provider = try SectionDataProvider(sections: [Section("A", [1, 2, 3]), Section("B", [4])])
    source = try .showing(provider)
    try screen.setDataSource(source)
  }

  private var shown: [String] {
    screen.tableView.visibleCells.map { ($0 as? ItemCell)?.text ?? "?" }
  }

  // MARK: Content

  @Test func whatChangesIsShown() throws {
    try provider.move(from: [0, 0], to: [1, 1])
    try screen.deleteRow(at: [0, 0])
    try screen.moveRow(at: [1, 0], to: [0, 0])
    #expect(shown == ["4", "3", "1"])
    #expect(errors.all.isEmpty)
  }

  @Test func anotherDataSourceIsShownFromItsBeginning() throws {
    try screen.selectRow(at: [0, 1])
    let flat = try TableViewDataSource.showing(try ArrayDataProvider(items: items([7, 8])))
    let form = DataDisplayManager()
    try form.addCellGenerators(fields("a"))
    try screen.setDataSource(flat)
    #expect(shown == ["7", "8"])
    #expect(screen.tableView.indexPathForSelectedRow == nil)
    #expect(source.observer == nil)
    // The one before is not heard any more.
    try provider.removeSection(at: 0)
    #expect(shown == ["7", "8"])
    // Flat, generated, composed: on the same screen.
    try screen.setDataSource(nil)
    #expect(screen.tableView.numbersOfRows == [])
    try screen.setDataSource(try ComposedTableViewDataSource([flat, form, source]))
    #expect(screen.tableView.numbersOfRows == [2, 1, 1])
    #expect(errors.all.isEmpty)
  }

  @Test func aDataSourceOfAnotherScreenIsRefused() throws {
    let other = TableViewController { _ in }
    let error = #expect(throws: TableDataError.self) { try other.setDataSource(source) }
    #expect(error?.code == .alreadyObserved)
    #expect(other.dataSource == nil)
    #expect(source.observer === screen)
  }

  @Test func aScreenWithoutADataSourceRefusesEverything() {
    let empty = TableViewController { _ in }
    for attempt in [
      { try empty.selectRow(at: [0, 0]) }, { try empty.deleteRow(at: [0, 0]) },
      { try empty.moveRow(at: [0, 0], to: [0, 0]) },
    ] {
      let error = #expect(throws: TableDataError.self) { try attempt() }
      #expect(error?.code == .sectionOutOfRange)
    }
  }

  @Test func aRowThatCannotBeReadHasAnEmptyCellAndTheOthersAreShown() throws {
    struct Unreadable: Error {}
    let base = try ArrayDataProvider(items: items(1...4))
    let mapped = try MappedDataProvider(base) { item in
      if item.text == "bad" { throw Unreadable() }
      return item
    }
    try screen.setDataSource(try TableViewDataSource.showing(mapped))
    try screen.selectRow(at: [0, 1])
    try base.replace(at: 1, with: Item(id: 2, text: "bad"))
    #expect(errors.all.map { $0 is Unreadable } == [true])
    #expect(shown == ["1", "?", "3", "4"])
    // Other rows of the same batch are shown again, and later batches say nothing of the row.
    try base.performBatch { items in
      items[0] = Item(id: 1, text: "bad")
      items[2] = Item(id: 3, text: "!")
    }
    #expect(shown == ["?", "?", "3!", "4"])
    try base.append(Item(id: 5))
    try base.move(from: 0, to: 4)
    #expect(shown == ["?", "3!", "4", "5", "?"])
    #expect(errors.all.allSatisfy { $0 is Unreadable })
    try base.replace(at: 0, with: Item(id: 2))
    #expect(shown == ["2", "3!", "4", "5", "?"])
    // At the beginning too.
    #expect(throws: Unreadable.self) { try screen.setDataSource(screen.dataSource) }
    #expect(shown == ["2", "3!", "4", "5", "?"])
  }

  /// In the original `try?` made an empty list of it.
  @Test func errorsAreReportedAndTheRestIsShown() throws {
    struct Unreadable: Error {}
    let filtered = try FilteredDataProvider(
      try ArrayDataProvider(items: items(1...3))
    ) { item in
      if item.text == "bad" { throw Unreadable() }
      return true
    }
    try screen.setDataSource(try TableViewDataSource.showing(filtered))
    try filtered.base.replace(at: 1, with: Item(id: 2, text: "bad"))
    #expect(errors.all.count == 1)
    #expect(errors.all.first is Unreadable)
    try filtered.base.replace(at: 1, with: Item(id: 2, text: "!"))
    #expect(shown == ["1", "2!", "3"])
  }

  /// A source that tells of something else than what happened.
  @Test func changesThatCannotBeAppliedAreReportedAndEverythingIsReadAnew() throws {
    let liar = ListDataSourceComponent([[1, 2]])
    try screen.setDataSource(liar)
    liar.content = [[1, 2, 3]]
    liar.observer?.contentDidChange(of: liar, by: TableChanges(deletedRows: [[0, 0]]))
    #expect((errors.all.first as? TableUpdateError)?.code == .rowCount)
    #expect(errors.all.count == 1)
    #expect(screen.tableView.numbersOfRows == [3])
  }

  // MARK: Routes

  @Test func aRowLeadsToTheDestinationOfItsType() throws {
    var routes: [TableRoute] = []
    router.register("item") { routes.append($0) }
    router.register("add") { routes.append($0) }
    screen.register(destination: "item", for: Item.self)
    try screen.follow(routeTo: "add")
    try screen.selectRow(at: [1, 0])
    try screen.follow(routeTo: "add")
    #expect(
      routes == [
        TableRoute(to: "add"), TableRoute(to: "item", identity: 4),
        TableRoute(to: "add", identity: 4),
      ])
    #expect(routes.last?.identity(as: Int.self) == 4)
    #expect(routes.last?.identity(as: String.self) == nil)
  }

  @Test func rowsOfOtherTypesLeadNowhere() throws {
    let form = DataDisplayManager()
    let field = Field("a")
    try form.addCellGenerator(field)
    try screen.setDataSource(form)
    screen.register(destination: "item", for: Item.self)
    try screen.selectRow(at: [0, 0])
    #expect(field.selections == 1)
    #expect(selection.identity(as: String.self) == "a")
  }

  @Test func aDestinationWithoutARouterIsAnError() throws {
    router.register("other") { _ in }
    screen.register(destination: "item", for: Item.self)
    let unknown = #expect(throws: TableDataError.self) { try screen.selectRow(at: [0, 0]) }
    #expect(
      unknown?.description == "there is no destination \"item\". Register it first. Registered "
        + "destinations: other")
    screen.router = nil
    let nobody = #expect(throws: TableDataError.self) { try screen.follow(routeTo: "other") }
    #expect(nobody?.code == .unknownDestination)
  }

  @Test func twoDestinationsOfOneTypeOrTwoOfOneNameAreAnError() throws {
    screen.register(destination: "item", for: Item.self)
    screen.register(destination: "other", for: Item.self)
    let type = #expect(throws: TableDataError.self) { try screen.selectRow(at: [0, 0]) }
    router.register("item") { _ in }
    router.register("item") { _ in }
    let name = #expect(throws: TableDataError.self) { try screen.follow(routeTo: "item") }
    #expect([type?.code, name?.code] == [.duplicateRegistration, .duplicateRegistration])
  }

  // MARK: Life

  @Test func neitherTheScreenNorTheRouterIsKeptAlive() throws {
    weak var gone: TableViewController?
    weak var goneRouter: DestinationRouter?
    do {
      let router = DestinationRouter()
      let screen = TableViewController(selection: selection, router: router) { _ in }
      try screen.setDataSource(
        try TableViewDataSource.showing(try ArrayDataProvider(items: items([1]))))
      gone = screen
      goneRouter = router
    }
    #expect(gone == nil)
    #expect(goneRouter == nil)
  }
}

/// A component that says whatever it is told to say.
private final class ListDataSourceComponent: ComposableTableViewDataSource {
  weak var observer: (any TableChangesObserver)?
  var content: [[Int]]

  init(_ content: [[Int]]) { self.content = content }

  var numberOfSections: Int { content.count }

  func section(_ section: Int) -> TableSection {
    TableSection(numberOfRows: content[section].count)
  }

  func row(at indexPath: IndexPath) -> TableRow {
    TableRow(content[indexPath.section][indexPath.row], cell: TableCell(ListCell<Int>.self))
  }
}
