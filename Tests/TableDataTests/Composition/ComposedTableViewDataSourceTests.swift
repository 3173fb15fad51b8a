import Foundation
import TableData
import TableDataTesting
import Testing

struct ComposedTableViewDataSourceTests {
  typealias ArraySource = TableViewDataSource<ArrayDataProvider<Item>>
  typealias SectionSource = TableViewDataSource<SectionDataProvider<Item>>

  let array: ArraySource
  let sections: SectionSource
  let list: ComposedTableViewDataSource

  init() throws {
    array = try .showing(try ArrayDataProvider(title: "Recent", items: items(1...2)))
    sections = try .showing(
      try SectionDataProvider(sections: [Section("Apples", [1, 5]), Section("Rice", [6])]))
    list = try ComposedTableViewDataSource([array, sections])
  }

  @Test func theSectionsOfTheComponentsFollowOneAnother() throws {
    sections.footerTitle = { [sections] in "\(try sections.numberOfRows(inSection: $0))" }
    #expect(list.numberOfSections == 3)
    #expect(try (0..<3).map { try list.numberOfRows(inSection: $0) } == [2, 2, 1])
    #expect(
      try (0..<3).map { try list.section($0).header.title } == ["Recent", "Apples", "Rice"])
    #expect(try (0..<3).map { try list.section($0).footer.title } == [nil, "2", "1"])
    #expect(try list.row(at: [2, 0]).viewModel as? Item == Item(id: 6))
    #expect(try Screen(list).shown == ["1", "2", "1", "5", "6"])
    #expect(list.sections(of: sections) == 1..<3)
    #expect(list.indexPath(of: [1, 0], in: sections) == [2, 0])
    try DataSourceProvider(list).checkConformance()
  }

  /// In the original the search asked all components before it.
  @Test func ofTenThousandComponentsOnlyTheOneOfTheSectionIsAsked() throws {
    let components = (0..<10_000).map { Numbered(number: $0) }
    let list = try ComposedTableViewDataSource(components)
    #expect(list.numberOfSections == 20_000)
    for component in components { component.questions = 0 }
    for section in stride(from: 0, to: 20_000, by: 97) {
      #expect(try list.numberOfRows(inSection: section) == section / 2)
    }
    let asked = components.reduce(0) { $0 + $1.questions }
    #expect(asked == stride(from: 0, to: 20_000, by: 97).underestimatedCount)
    try list.checkInvariants()
  }

  /// Two sections of as many rows as its number. It counts how often it is asked.
  private final class Numbered: ComposableTableViewDataSource {
    weak var observer: (any TableChangesObserver)?
    var questions = 0
    let number: Int

    init(number: Int) { self.number = number }

    var numberOfSections: Int {
      questions += 1
      return 2
    }

    func section(_ section: Int) -> TableSection {
      questions += 1
      return TableSection(numberOfRows: number)
    }

    func row(at indexPath: IndexPath) -> TableRow { TableRow(number) }
  }

  /// In the original an empty composite trapped.
  @Test func noComponentIsAnEmptyList() throws {
    let empty = try ComposedTableViewDataSource()
    #expect(empty.numberOfSections == 0)
    #expect(try empty.sectionIndex.titles == [])
    #expect(try Screen(empty).table.numbersOfRows == [])
    #expect(throws: TableDataError.self) { try empty.numberOfRows(inSection: 0) }
    try DataSourceProvider(empty).checkConformance()
    let nested = try ComposedTableViewDataSource([empty])
    #expect(nested.numberOfSections == 0)
  }

  @Test func oneComponentIsWhatItIs() throws {
    let list = try ComposedTableViewDataSource([
      try ArraySource.showing(
        try ArrayDataProvider(items: items(1...3)))
    ])
    #expect(try Screen(list).table.numbersOfRows == [3])
    try DataSourceProvider(list).checkConformance()
  }

  /// In the original the last component answered, with its own row.
  @Test func aSectionOutOfRangeIsAnError() throws {
    for section in [-1, 3, Int.max] {
      let path = IndexPath(row: 0, section: section)
      for attempt in [
        { _ = try list.numberOfRows(inSection: section) },
        { _ = try list.section(section).header.title },
        { _ = try list.section(section).footer.title },
        { _ = try list.row(at: path).viewModel }, { _ = try list.row(at: path).identity },
        { _ = try list.row(at: path).canDelete }, { _ = try list.row(at: path).canMove },
        { try list.perform(.delete(path)) }, { try list.perform(.move(path, to: [0, 0])) },
        { try list.perform(.move([0, 0], to: path)) },
        { _ = try list.destination(of: .delete(path)) },
        { _ = try list.destination(of: .move(path, to: [0, 0])) },
      ] as [() throws -> Void] {
        let error = #expect(throws: TableDataError.self) { try attempt() }
        #expect(error?.code == .sectionOutOfRange)
      }
    }
    let error = #expect(throws: TableDataError.self) { try list.row(at: [2, 1]).viewModel }
    #expect(error?.message == "there is no row [2, 1]: its section has 1 row")
  }

  /// In the original it was a search from the front.
  @Test func aSectionIsFoundInLogarithmicallyManySteps() throws {
    let components = try (0..<10_000).map { number in
      CountingSource(try ArrayDataProvider(items: items([number])))
    }
    let list = try ComposedTableViewDataSource(components)
    for component in components { component.questions = 0 }
    for section in stride(from: 0, to: 10_000, by: 397) {
      #expect(try list.row(at: [section, 0]).viewModel as? Item == Item(id: section))
      // The number of rows and the row: of this component alone.
      #expect(components[section].questions == 2)
    }
    #expect(components.reduce(0) { $0 + $1.questions } == 2 * 26)
  }

  // MARK: Index

  /// In the original the component's own section came back.
  @Test func anIndexTitleLeadsToTheSectionOfTheWholeList() throws {
    #expect(try list.sectionIndex.titles == ["R", "A"])
    #expect(try list.sectionIndex.section(forTitle: "R", at: 0) == 0)
    #expect(try list.sectionIndex.section(forTitle: "A", at: 1) == 1)
    let outer = try ComposedTableViewDataSource([
      try ArraySource.showing(try ArrayDataProvider(items: items([9]))), list,
    ])
    #expect(try outer.sectionIndex.titles == ["R", "A"])
    #expect(try outer.sectionIndex.section(forTitle: "A", at: 1) == 2)
    let error = #expect(throws: TableDataError.self) {
      try list.sectionIndex.section(forTitle: "X", at: 0)
    }
    #expect(error?.message == "no section has the index title \"X\"")
    #expect(error?.nextStep == "The titles are: R A")
  }

  /// In the original they were dropped, so that a title's position was taken for a section.
  @Test func sectionsWithoutATitleMoveNoOther() throws {
    let list = try ComposedTableViewDataSource([
      try ArraySource.showing(try ArrayDataProvider(items: items([8]))),
      try SectionSource.showing(
        try SectionDataProvider(sections: [Section(nil, [1]), Section("Z", [2])])),
    ])
    #expect(try list.sectionIndex.titles == ["Z"])
    #expect(try list.sectionIndex.section(forTitle: "Z", at: 0) == 2)
  }

  @Test func theIndexFollowsChanges() throws {
    #expect(try list.sectionIndex.titles == ["R", "A"])
    try sections.dataProvider.insertSection(Section("Milk", [7]), at: 0)
    #expect(try list.sectionIndex.titles == ["R", "M", "A"])
    #expect(try list.sectionIndex.section(forTitle: "A", at: 2) == 2)
    try list.remove(array)
    #expect(try list.sectionIndex.titles == ["M", "A", "R"])
    #expect(try list.sectionIndex.section(forTitle: "R", at: 2) == 2)
  }

  // MARK: Identity

  @Test func rowsOfTwoComponentsAreDifferentWhateverTheirIdentitiesAre() throws {
    #expect(try list.row(at: [0, 0]).identity != list.row(at: [1, 0]).identity)
    let screen = try Screen(list)
    try screen.table.selectRow(at: [1, 0])
    try screen.table.reloadData()
    #expect(screen.table.indexPathForSelectedRow == [1, 0])
    try array.dataProvider.insert(Item(id: 9), at: 0)
    try list.performBatch {
      try sections.dataProvider.move(from: [0, 0], to: [1, 1])
      try array.dataProvider.remove(at: 0)
    }
    #expect(screen.table.indexPathForSelectedRow == [2, 1])
    // An item's own identity is that of the first component that has it; one of another list is none.
    #expect(try list.indexPath(forIdentity: 1) == [0, 0])
    let identity = try #require(try list.row(at: [1, 0]).identity)
    #expect(try ComposedTableViewDataSource().indexPath(forIdentity: identity) == nil)
  }

  // MARK: Editing

  @Test func editsReachTheComponent() throws {
    let screen = try Screen(list)
    #expect(try list.row(at: [2, 0]).canDelete)
    try list.perform(.delete([1, 0]))
    try list.perform(.move([1, 0], to: [2, 1]))
    #expect(sections.dataProvider.content.map { $0.items.map(\.id) } == [[], [6, 5]])
    #expect(screen.batches.map(\.description) == ["-[1,0]", "[1,0]>[2,1]"])
    #expect(screen.errors.isEmpty)
  }

  @Test func aMoveToAnotherComponentIsOneBatch() throws {
    let screen = try Screen(list)
    try list.perform(.move([1, 1], to: [0, 2]))
    #expect(screen.batches.map(\.description) == ["[1,1]>[0,2]"])
    #expect(screen.shown == ["1", "2", "5", "1", "6"])
    #expect(screen.errors.isEmpty)
  }

  @Test func aMoveToAnotherComponentIsRefusedUnlessBothAllowIt() throws {
    let fixed = FixedSource()
    try list.append(fixed)
    let strings = try TableViewDataSource(
      dataProvider: try ArrayDataProvider(items: ["a"], identity: { (text: String) in text }))
    try list.append(strings)
    // It does not let go, it does not take, it has other items.
    for (from, to) in [([3, 0], [0, 0]), ([0, 0], [3, 0]), ([0, 0], [4, 0])]
      as [(IndexPath, IndexPath)]
    {
      let error = #expect(throws: TableDataError.self) { try list.perform(.move(from, to: to)) }
      #expect(error?.code == .notEditable)
    }
    // The other has a row of that identity already.
    let error = #expect(throws: TableDataError.self) {
      try list.perform(.move([1, 0], to: [0, 0]))
    }
    #expect(error?.code == .duplicateIdentity)
    #expect(try (0..<5).map { try list.numberOfRows(inSection: $0) } == [2, 2, 1, 1, 1])
  }
}

/// A component that counts what it is asked about its rows.
private final class CountingSource: ComposableTableViewDataSource {
  weak var observer: (any TableChangesObserver)?
  let provider: ArrayDataProvider<Item>
  var questions = 0

  init(_ provider: ArrayDataProvider<Item>) { self.provider = provider }

  var numberOfSections: Int { 1 }

  func numberOfRows(inSection section: Int) throws -> Int {
    questions += 1
    return try provider.numberOfRows(inSection: section)
  }

  func section(_ section: Int) throws -> TableSection {
    TableSection(numberOfRows: try numberOfRows(inSection: section))
  }

  func row(at indexPath: IndexPath) throws -> TableRow {
    questions += 1
    return TableRow(try provider.itemForRow(at: indexPath))
  }
}

/// A component of one row, with the defaults for all that has one.
private final class FixedSource: ComposableTableViewDataSource {
  weak var observer: (any TableChangesObserver)?
  let numberOfSections = 1

  func section(_ section: Int) -> TableSection { TableSection(numberOfRows: 1) }

  func row(at indexPath: IndexPath) -> TableRow { TableRow(Item(id: 77)) }
}
