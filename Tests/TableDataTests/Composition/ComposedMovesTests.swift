import Foundation
import TableData
import TableDataTesting
import Testing

/// Rows that go from one component to another, and components that change places (contract, rule 27).
struct ComposedMovesTests {
  typealias ArraySource = TableViewDataSource<ArrayDataProvider<Item>>

  let first: ArraySource
  let second: ArraySource
  let fixed: DataDisplayManager
  let list: ComposedTableViewDataSource
  let screen: TableViewController
  let log: ErrorLog

  /// The errors that the screen reports.
  final class ErrorLog {
    var errors: [any Error] = []
  }

  init() throws {
    first = try .showing(try ArrayDataProvider(title: "A", items: items(1...3)))
    second = try .showing(try ArrayDataProvider(title: "B", items: items(11...12)))
    fixed = DataDisplayManager()
    try fixed.addCellGenerators(fields("f", "g"))
    list = try ComposedTableViewDataSource([first, second, fixed])
    log = ErrorLog()
    screen = TableViewController(height: 20) { [log] in log.errors.append($0) }
  }

  private func batches(_ body: () throws -> Void) throws -> [String] {
    let observed = ObservationLog()
    list.observer = observed
    defer { list.observer = nil }
    try body()
    return observed.entries.filter { $0.hasPrefix("did") }
  }

  private var shown: [String] {
    screen.tableView.visibleCells.map { ($0 as? ItemCell)?.text ?? ($0 as? FieldCell)?.text ?? "?" }
  }

  // MARK: Rows

  /// The row was deleted and inserted.
  @Test func aRowThatGoesToAnotherComponentIsOneMove() throws {
    let batches = try batches { try list.perform(.move([0, 1], to: [1, 1])) }
    #expect(batches == ["did [0,1]>[1,1]"])
    #expect(second.dataProvider.items.map(\.id) == [11, 2, 12])
  }

  /// The row was deselected: in the composed list its identity contains its component.
  @Test func aRowThatGoesToAnotherComponentStaysSelected() throws {
    try screen.setDataSource(list)
    try screen.selectRow(at: [0, 1])
    try screen.moveRow(at: [0, 1], to: [1, 0])
    #expect(screen.tableView.indexPathForSelectedRow == [1, 0])
    #expect(screen.selection.identity(as: Int.self) == 2)
    #expect(screen.tableView.cellForRow(at: [1, 0])?.isSelected == true)
    // It is followed there.
    try second.dataProvider.move(from: 0, to: 2)
    #expect(screen.tableView.indexPathForSelectedRow == [1, 2])
    try second.dataProvider.remove(at: 2)
    #expect(screen.tableView.indexPathForSelectedRow == nil)
    #expect(log.errors.isEmpty)
  }

  @Test func otherChangesOfTheBatchDoNotHideTheMove() throws {
    try screen.setDataSource(list)
    try screen.selectRow(at: [0, 2])
    try list.performBatch {
      try first.dataProvider.remove(at: 0)
      try second.dataProvider.insert(Item(id: 20), at: 0)
      try list.perform(.move([0, 1], to: [1, 1]))
      try second.dataProvider.remove(at: 3)
    }
    #expect(shown == ["2", "20", "3", "11", "f", "g"])
    #expect(screen.tableView.indexPathForSelectedRow == [1, 1])
    let batches = try batches {
      try list.performBatch {
        try second.dataProvider.remove(at: 0)
        try list.perform(.move([0, 0], to: [1, 2]))
      }
    }
    #expect(batches == ["did -[1,0] [0,0]>[1,2]"])
    #expect(log.errors.isEmpty)
  }

  /// The composed list was not asked to move it.
  @Test func aRowThatLeavesOneComponentForAnotherInOneBatchIsOneMove() throws {
    try screen.setDataSource(list)
    try screen.selectRow(at: [0, 1])
    try list.performBatch {
      let item = first.dataProvider.items[1]
      try first.dataProvider.remove(at: 1)
      try second.dataProvider.append(Item(id: item.id, text: " moved"))
    }
    #expect(screen.tableView.indexPathForSelectedRow == [1, 2])
    #expect(shown == ["1", "3", "11", "12", "2 moved", "f", "g"])
    let batches = try batches {
      try list.performBatch {
        try first.dataProvider.insert(second.dataProvider.items[2], at: 0)
        try second.dataProvider.remove(at: 2)
        try second.dataProvider.remove(at: 0)
      }
    }
    #expect(batches == ["did -[1,0] [1,2]>[0,0]"])
    #expect(log.errors.isEmpty)
  }

  /// The component was searched for each of the rows.
  @Test func rowsThatGoToAnotherComponentAreNotSearchedThere() throws {
    var identities = 0
    let long = try ArrayDataProvider(items: items(1_001...2_000)) { (item: Item) in
      identities += 1
      return AnyHashable(item.id)
    }
    try list.append(try ArraySource.showing(long))
    identities = 0
    let batches = try batches {
      try list.performBatch {
        try first.dataProvider.setItems([])
        try long.insert(items(1...3), at: 1_000)
      }
    }
    #expect(batches == ["did [0,0]>[3,1000] [0,1]>[3,1001] [0,2]>[3,1002]"])
    #expect(identities < 50)
  }

  @Test func anItemOfAListOfAnyItemsIsMovedToo() throws {
    let lists = try (0..<2).map { number in
      try ArrayDataProvider<any ItemViewModel>(items: number == 0 ? [Item(id: 90)] : [])
    }
    for items in lists { try list.append(try TableViewDataSource(dataProvider: items)) }
    let batches = try batches {
      try list.performBatch {
        try lists[0].remove(at: 0)
        try lists[1].append(Item(id: 90))
      }
    }
    #expect(batches == ["did [3,0]>[4,0]"])
  }

  @Test func anItemOfAnotherTypeWithTheSameIdentityIsAnotherRow() throws {
    struct Other: ItemViewModel { let id: Int }
    let others = try ArrayDataProvider<Other>(items: [])
    try list.append(try TableViewDataSource(dataProvider: others))
    let batches = try batches {
      try list.performBatch {
        try first.dataProvider.remove(at: 0)
        try others.append(Other(id: 1))
      }
    }
    #expect(batches == ["did -[0,0] +[3,0]"])
  }

  @Test func aRowThatWasInsertedInTheBatchIsAnInsert() throws {
    let batches = try batches {
      try list.performBatch {
        try first.dataProvider.append(Item(id: 30))
        try list.perform(.move([0, 3], to: [1, 0]))
      }
    }
    #expect(batches == ["did +[1,0]"])
  }

  @Test func aRowWithAnotherIdentityIsDeletedAndInserted() throws {
    /// Gives what is inserted another identity.
    final class Copying: EditableDataProvider, TableChangesObserver {
      weak var observer: (any TableChangesObserver)?
      let list: ArrayDataProvider<Item>
      init() throws {
        list = try ArrayDataProvider(items: items([40]))
        list.observer = self
      }
      var sections: [SectionInfo] { list.sections }
      func item(at indexPath: IndexPath) throws -> Item {
        try list.itemForRow(at: indexPath)
      }
      func perform(_ edit: RowEdit<Item>) throws {
        guard case .insert(let item, let path) = edit else { return try list.perform(edit) }
        try list.insertRow(Item(id: item.id + 100), at: path)
      }
    }
    try list.append(try TableViewDataSource.showing(try Copying()))
    let batches = try batches { try list.perform(.move([0, 0], to: [3, 1])) }
    #expect(batches == ["did -[0,0] +[3,1]"])
  }

  @Test func aRowGoesIntoANestedListAsOneMove() throws {
    let third = try ArraySource.showing(try ArrayDataProvider(items: items([21])))
    try list.append(try ComposedTableViewDataSource([third]))
    try screen.setDataSource(list)
    try screen.selectRow(at: [0, 0])
    try screen.moveRow(at: [0, 0], to: [3, 1])
    #expect(screen.tableView.indexPathForSelectedRow == [3, 1])
    #expect(third.dataProvider.items.map(\.id) == [21, 1])
    try screen.moveRow(at: [3, 1], to: [1, 0])
    #expect(screen.tableView.indexPathForSelectedRow == [1, 0])
    #expect(log.errors.isEmpty)
  }

  // MARK: Targets

  @Test func aDragStaysInItsComponentIfTheOtherDoesNotAcceptTheRow() throws {
    #expect(try list.destination(of: .move([0, 0], to: [0, 2])) == [0, 2])
    #expect(try list.destination(of: .move([0, 0], to: [1, 2])) == [1, 2])
    // The form takes no items.
    #expect(try list.destination(of: .move([1, 0], to: [2, 1])) == [1, 1])
    try list.move(fixed, to: 0)
    #expect(try list.destination(of: .move([1, 2], to: [0, 1])) == [1, 0])
    #expect(throws: TableDataError.self) {
      try list.destination(of: .move([1, 2], to: [7, 1]))
    }
  }

  @Test(arguments: SeededGenerator.seeds(20))
  func aTargetIsAlwaysAccepted(seed: UInt64) throws {
    var edits = RandomEdits(seed: seed)
    try list.append(
      try TableViewDataSource.showing(
        try SectionDataProvider(sections: [Section("C", [31, 32]), Section("D", [])])))
    try screen.setDataSource(list)
    for _ in 0..<40 {
      let table = screen.tableView
      let from = try #require(table.indexPathsForVisibleRows.randomElement(using: &edits.generator))
      guard try list.row(at: from).canMove else { continue }
      let section = edits.number(in: 0..<table.numberOfSections)
      let count = try table.numberOfRows(inSection: section) + (section == from.section ? 0 : 1)
      let proposed = IndexPath(row: edits.number(in: 0..<count), section: section)
      let identity = try list.row(at: from).itemIdentity
      try screen.selectRow(at: from)
      let target = try #require(try list.destination(of: .move(from, to: proposed)))
      try screen.moveRow(at: from, to: target)
      #expect(try list.row(at: target).itemIdentity == identity)
      #expect(table.indexPathForSelectedRow == target)
    }
    #expect(log.errors.isEmpty)
  }

  // MARK: Components

  @Test func componentsAreSwappedAsMovesOfTheirRows() throws {
    let batches = try batches { try list.swap(first, second) }
    #expect(
      batches == [
        "did [0]=[0] [1]=[1] [1,0]>[0,0] [1,1]>[0,1] [0,0]>[1,0] [0,1]>[1,1] [0,2]>[1,2]"
      ])
    #expect(try list.section(0).header.title == "B")
    try list.checkInvariants()
  }

  @Test func aMovedComponentKeepsItsSelectionAndItsCells() throws {
    try screen.setDataSource(list)
    try screen.selectRow(at: [0, 1])
    try list.move(first, to: 2)
    #expect(shown == ["11", "12", "f", "g", "1", "2", "3"])
    #expect(screen.tableView.indexPathForSelectedRow == [2, 1])
    try list.move(first, to: 2)
    #expect(throws: TableDataError.self) { try list.move(first, to: 3) }
    #expect(throws: TableDataError.self) { try list.move(try ComposedTableViewDataSource(), to: 0) }
    #expect(log.errors.isEmpty)
  }

  @Test func inABatchAMovedComponentIsDeletedAndInserted() throws {
    let batches = try batches {
      try list.performBatch {
        try list.swap(first, fixed)
        try first.dataProvider.remove(at: 0)
      }
    }
    #expect(batches == ["did -[2] -[0] +[0] +[2]"])
    try list.checkInvariants()
  }

  /// It was removed twice, which threw an error and left it out of the list. A random test found it.
  @Test func aComponentThatIsSwappedWithItselfInABatchStays() throws {
    try list.performBatch {
      try list.swap(second, second)
      try list.move(first, to: 0)
    }
    #expect(list.components.count == 3)
    #expect(list.components[1] === second)
    try list.checkInvariants()
    #expect(try (0..<3).map(list.numberOfRows) == [3, 2, 2])
  }

  @Test func aLargeComponentIsDeletedAndInserted() throws {
    try first.dataProvider.setItems(items(1...1_001))
    let batches = try batches { try list.move(first, to: 1) }
    #expect(batches == ["did -[0] +[1]"])
  }

  @Test(arguments: SeededGenerator.seeds(20))
  func randomOrdersAreFollowedThroughTheStrictTable(seed: UInt64) throws {
    var edits = RandomEdits(seed: seed)
    let sections = try SectionDataProvider(sections: [Section("C", [1, 2]), Section("D", [3])])
    try list.append(try TableViewDataSource.showing(sections))
    try list.append(try TableViewDataSource.showing(try SectionDataProvider<Item>(sections: [])))
    let harness = try ProviderHarness(DataSourceProvider(list), height: 5)
    harness.requiresMinimalChanges = false
    harness.allowsReinsertedRows = true
    // A section that shows another component has another header.
    harness.requiresSameSectionNames = false
    harness.observe()
    for step in 0..<30 {
      let count = list.components.count
      let component = list.components[edits.number(in: 0..<count)]
      switch edits.number(in: 0..<4) {
      case 0: try edits.edit(sections)
      case 1: try list.swap(component, list.components[edits.number(in: 0..<count)])
      default: try list.move(component, to: edits.number(in: 0..<count))
      }
      do {
        try harness.checkObserved()
        try list.checkInvariants()
      } catch {
        Issue.record("seed \(seed), step \(step): \(error)")
        return
      }
    }
  }
}
