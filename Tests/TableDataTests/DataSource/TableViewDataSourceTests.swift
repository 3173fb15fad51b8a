import Foundation
import TableData
import TableDataTesting
import Testing

struct TableViewDataSourceTests {
  typealias Source = TableViewDataSource<SectionDataProvider<Item>>

  let provider: SectionDataProvider<Item>
  let source: Source
  let screen: Screen

  init() throws {
    provider = try SectionDataProvider(sections: [
      Section("Apples", [1, 2, 3]), Section("Avocados", [4]), Section("Bananas", [5]),
    ])
    source = try .showing(provider)
    screen = try Screen(source)
  }

  @Test func rowsAreShownAndFollowed() throws {
    #expect(screen.shown == ["1", "2", "3", "4", "5"])
    try provider.replace(at: [0, 1], with: Item(id: 2, text: "x"))
    try provider.move(from: [0, 0], to: [2, 0])
    try provider.removeSection(at: 1)
    #expect(screen.shown == ["2x", "3", "1", "5"])
    #expect(screen.errors.isEmpty)
    #expect(screen.batches.count == 3)
  }

  @Test func headersFootersAndIndexAreThoseOfTheProvider() throws {
    source.footerTitle = { [provider] in "\(try provider.numberOfRows(inSection: $0)) rows" }
    #expect(try source.section(1).header.title == "Avocados")
    #expect(try source.section(0).footer.title == "3 rows")
    // Two sections have the title A: it is there once, and B leads to section 2 and not to 1.
    #expect(try source.sectionIndex.titles == ["A", "B"])
    #expect(try source.sectionIndex.section(forTitle: "B", at: 1) == 2)
    for error in [
      #expect(throws: TableDataError.self) { try source.section(3).header.title },
      #expect(throws: TableDataError.self) { try source.section(3).footer.title },
      #expect(throws: TableDataError.self) { try source.numberOfRows(inSection: 3) },
      #expect(throws: TableDataError.self) { try source.row(at: [3, 0]).canDelete },
    ] {
      #expect(error?.code == .sectionOutOfRange)
    }
  }

  // MARK: Cells

  @Test func theCellFollowsTheTypeOfEachViewModel() throws {
    struct Note: ItemViewModel { let id: Int }
    final class NoteCell: TableViewCell, Configurable {
      var note: Note?
      func configure(with viewModel: Note) { note = viewModel }
    }
    let mixed = try ArrayDataProvider<any ItemViewModel>(items: [Note(id: 1), Item(id: 1)])
    let source = try TableViewDataSource(dataProvider: mixed)
    source.registerCell(ItemCell.self, identifier: "item", for: Item.self)
    source.registerCell(NoteCell.self, identifier: "note", for: Note.self)
    let screen = try Screen(source)
    #expect((screen.table.cellForRow(at: [0, 0]) as? NoteCell)?.note?.id == 1)
    #expect((screen.table.cellForRow(at: [0, 1]) as? ItemCell)?.text == "1")
  }

  @Test func aViewModelWithoutARegistrationIsAnError() throws {
    let bare = try TableViewDataSource(dataProvider: try ArrayDataProvider(items: items([1])))
    let error = #expect(throws: TableDataError.self) { try Screen(bare) }
    #expect(error?.code == .unregisteredViewModel)
    #expect(error?.message == "no cell is registered for Item")
    #expect(
      error?.nextStep == "Call registerCell(_:) first. Registered cells: none")
  }

  @Test func twoRegistrationsOfOneTypeAreAnError() {
    source.registerCell(ItemCell.self, identifier: "other", for: Item.self)
    let error = #expect(throws: TableDataError.self) { try source.row(at: [0, 0]).cell }
    #expect(error?.code == .duplicateRegistration)
    #expect(
      error?.description == "the cell ItemCell (\"item\") is already registered for Item. Register "
        + "one cell for each type of view model")
  }

  @Test func oneIdentifierForTwoClassesIsAnError() throws {
    final class TextCell: TableViewCell, Configurable {
      func configure(with viewModel: String) {}
    }
    let mixed = try TableViewDataSource(
      dataProvider: try ArrayDataProvider<Any>(items: ["a"], identity: { _ in 1 as Int? }))
    mixed.registerCell(ItemCell.self, identifier: "item")
    mixed.registerCell(TextCell.self, identifier: "item")
    let error = #expect(throws: TableDataError.self) { try mixed.row(at: [0, 0]).cell }
    #expect(error?.code == .duplicateRegistration)
  }

  /// In the original a forced cast, or a blank cell, hid it.
  @Test func anotherClassForTheIdentifierInTheTableIsAnError() throws {
    final class TextCell: TableViewCell, Configurable {
      func configure(with viewModel: String) {}
    }
    let texts = try TableViewDataSource(
      dataProvider: try ArrayDataProvider(items: ["a"], identity: { (text: String) in text }))
    texts.registerCell(TextCell.self, identifier: "item")
    let table = TableView()
    let list = try ComposedTableViewDataSource([texts])
    source.observer = nil
    try list.append(source)
    table.dataSource = list
    let error = #expect(throws: TableDataError.self) { try table.reloadData() }
    #expect(error?.code == .duplicateRegistration)
    #expect(
      error?.description == "the identifier \"item\" is already registered for TextCell. Give "
        + "ItemCell another identifier")
  }

  @Test func aRowThatIsNotThereIsAnError() {
    for (path, code) in [
      ([0, 3], .rowOutOfRange), ([3, 0], .sectionOutOfRange), ([0], .malformedIndexPath),
    ] as [(IndexPath, TableDataError.Code)] {
      for attempt in [
        { _ = try source.destination(of: .move(path, to: [0, 0])) },
        { _ = try source.row(at: path).viewModel }, { try source.perform(.delete(path)) },
        { try source.perform(.move(path, to: [0, 0])) },
      ] as [() throws -> Void] {
        let error = #expect(throws: TableDataError.self) { try attempt() }
        #expect(error?.code == code)
      }
    }
  }

  // MARK: Editing

  @Test func deletingAndMovingAreWrittenToTheProviderAndReportedOnce() throws {
    #expect(try source.row(at: [0, 0]).canDelete)
    #expect(try source.row(at: [0, 0]).canMove)
    try source.perform(.delete([0, 0]))
    try source.perform(.move([0, 0], to: [1, 1]))
    #expect(provider.content.map { $0.items.map(\.id) } == [[3], [4, 2], [5]])
    #expect(screen.batches.map(\.description) == ["-[0,0]", "[0,0]>[1,1]"])
    #expect(screen.shown == ["3", "4", "2", "5"])
    #expect(screen.errors.isEmpty)
  }

  @Test func aProviderThatCannotBeEditedRefuses() throws {
    final class Fixed: ViewModelDataProvider {
      weak var observer: (any TableChangesObserver)?
      let sections = [SectionInfo(name: nil, numberOfRows: 1)]
      func item(at indexPath: IndexPath) -> Item { Item(id: 1) }
    }
    let source = try TableViewDataSource(dataProvider: Fixed())
    #expect(try !source.row(at: [0, 0]).canDelete)
    #expect(try !source.row(at: [0, 0]).canMove)
    #expect(try source.destination(of: .insert(Item(id: 2), at: [0, 0])) == nil)
    for attempt in [
      { try source.perform(.delete([0, 0])) },
      { try source.perform(.move([0, 0], to: [0, 0])) },
      { try source.perform(.insert(Item(id: 2), at: [0, 0])) },
    ] {
      let error = #expect(throws: TableDataError.self) { try attempt() }
      #expect(error?.code == .notEditable)
    }
  }

  @Test func whatTheProviderDoesNotAllowIsNotMade() throws {
    final class FirstFixed: EditableDataProvider {
      weak var observer: (any TableChangesObserver)?
      let sections = [SectionInfo(name: nil, numberOfRows: 3)]
      var edits = 0
      func item(at indexPath: IndexPath) -> Item { Item(id: indexPath.row) }
      func destination(of edit: RowEdit<Item>) -> IndexPath? {
        switch edit {
        case .delete(let path): path.row == 0 ? nil : path
        case .move(let path, let target): path.row == 0 ? nil : [0, max(target.row, 1)]
        case .insert: nil
        }
      }
      func perform(_ edit: RowEdit<Item>) { edits += 1 }
    }
    let fixed = FirstFixed()
    let source = try TableViewDataSource(dataProvider: fixed)
    for edit in [.delete([0, 0]), .move([0, 0], to: [0, 1]), .insert(Item(id: 9), at: [0, 1])]
      as [TableEdit]
    {
      #expect(try source.destination(of: edit) == nil)
      let error = #expect(throws: TableDataError.self) { try source.perform(edit) }
      #expect(error?.code == .notEditable)
    }
    #expect(fixed.edits == 0)
    #expect(try !source.row(at: [0, 0]).canDelete && source.row(at: [0, 1]).canDelete)
    #expect(try !source.row(at: [0, 0]).canMove && source.row(at: [0, 1]).canMove)
    #expect(try source.destination(of: .move([0, 2], to: [0, 0])) == [0, 1])
    try source.perform(.delete([0, 1]))
    #expect(fixed.edits == 1)
  }

  @Test func aFilterOfAProviderThatCanBeEditedCanBeEdited() throws {
    let filtered = try FilteredDataProvider(
      try ArrayDataProvider(items: items(1...4))
    ) { $0.id.isMultiple(of: 2) }
    let source = try TableViewDataSource(dataProvider: filtered)
    #expect(try source.row(at: [0, 1]).canDelete)
    try source.perform(.delete([0, 1]))
    #expect(filtered.base.items.map(\.id) == [1, 2, 3])
  }

  @Test func anItemOfAnotherTypeIsNotInserted() throws {
    #expect(try source.destination(of: .insert("text", at: [0, 0])) == nil)
    let error = #expect(throws: TableDataError.self) {
      try source.perform(.insert("text", at: [0, 0]))
    }
    #expect(error?.code == .notEditable)
  }

  // MARK: Observation

  @Test func aProviderHasOneDataSource() {
    let error = #expect(throws: TableDataError.self) {
      try TableViewDataSource(dataProvider: provider)
    }
    #expect(error?.code == .alreadyObserved)
  }

  @Test func theSelectionFollowsTheIdentity() throws {
    try screen.table.selectRow(at: [0, 1])
    try provider.move(from: [0, 1], to: [2, 0])
    try provider.insertSection(Section("0", [9]), at: 0)
    #expect(screen.table.indexPathForSelectedRow == [3, 0])
    try provider.remove(at: [3, 0])
    #expect(screen.table.indexPathForSelectedRow == nil)
  }
}
