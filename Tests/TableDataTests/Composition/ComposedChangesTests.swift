import Foundation
import TableData
import TableDataTesting
import Testing

struct ComposedChangesTests {
  typealias ArraySource = TableViewDataSource<ArrayDataProvider<Item>>
  typealias SectionSource = TableViewDataSource<SectionDataProvider<Item>>

  let first: ArraySource
  let middle: SectionSource
  let last: ArraySource
  let list: ComposedTableViewDataSource
  let log = ObservationLog()

  init() throws {
    first = try .showing(try ArrayDataProvider(items: items(1...3)))
    middle = try .showing(
      try SectionDataProvider(sections: [Section("A", [1, 2]), Section("B", [3])]))
    last = try .showing(try ArrayDataProvider(items: items(1...2)))
    list = try ComposedTableViewDataSource([first, middle, last])
    list.observer = log
  }

  @Test func theChangesOfAComponentAreReportedWithItsOffset() throws {
    try last.dataProvider.remove(at: 0)
    try middle.dataProvider.insertSection(Section("C", [9]), at: 0)
    try last.dataProvider.append(Item(id: 5))
    #expect(
      log.entries == [
        "will", "did -[3,0]", "will", "did +[1] +[1,0]", "will", "did +[4,1]",
      ])
  }

  @Test func severalComponentsInOneTransactionAreOneBatch() throws {
    try list.performBatch {
      try last.dataProvider.remove(at: 0)
      try middle.dataProvider.removeSection(at: 0)
      try first.dataProvider.append(Item(id: 9))
      try last.dataProvider.append(Item(id: 9))
      try middle.dataProvider.insert(Item(id: 8), at: [0, 0])
      #expect(log.entries == ["will"])
    }
    #expect(log.entries == ["will", "did -[1] -[3,0] +[0,3] +[1,0] +[2,1]"])
  }

  @Test func inWillTheListHasItsOldContent() throws {
    log.onWill = {
      #expect(list.numberOfSections == 4)
      #expect((try? list.numberOfRows(inSection: 1)) == 2)
      #expect((try? list.row(at: [3, 0]).viewModel) as? Item == Item(id: 1))
    }
    try list.performBatch {
      try middle.dataProvider.removeSection(at: 0)
      try last.dataProvider.remove(at: 0)
    }
  }

  @Test func aChangeWithoutEffectIsNotReported() throws {
    list.performBatch {}
    try list.append(try ComposedTableViewDataSource())
    try list.append(try SectionSource.showing(try SectionDataProvider(sections: [])))
    #expect(log.entries.isEmpty)
  }

  @Test func anErrorInABatchIsThrownAfterTheChangesAreReported() throws {
    struct Failure: Error {}
    #expect(throws: Failure.self) {
      try list.performBatch {
        try first.dataProvider.remove(at: 0)
        throw Failure()
      }
    }
    #expect(log.entries == ["will", "did -[0,0]"])
  }

  @Test func changesInDidAreTheNextBatch() throws {
    log.onDid = { changes in
      guard changes.deletedRows == [[0, 0]] else { return }
      #expect(throws: Never.self) { try last.dataProvider.remove(at: 0) }
    }
    try first.dataProvider.remove(at: 0)
    #expect(log.entries == ["will", "did -[0,0]", "will", "did -[3,0]"])
  }

  @Test func aResetOfAComponentConcernsItAlone() throws {
    let base = ListProvider([[1], [2]])
    let component = try TableViewDataSource(dataProvider: base)
    try list.insert(component, at: 1)
    base.reset(to: [[3]])
    #expect(log.entries == ["will", "did +[1] +[2]", "will", "did -[2] -[1] +[1]"])
  }

  @Test func anErrorOfAComponentIsReported() throws {
    struct Failure: Error {}
    middle.content(of: middle.dataProvider, didFailWith: Failure())
    #expect(log.entries == ["failed: Failure()"])
  }

  // MARK: Components

  @Test func addingAndRemovingComponentsIsAChange() throws {
    let new = try SectionSource.showing(
      try SectionDataProvider(sections: [Section("X", [1]), Section("Y", [])]))
    try list.insert(new, at: 1)
    try new.dataProvider.insert(Item(id: 4), at: [1, 0])
    try list.remove(new)
    #expect(
      log.entries == ["will", "did +[1] +[2]", "will", "did +[2,0]", "will", "did -[2] -[1]"])
    // It is free, and no longer heard.
    #expect(new.observer == nil)
    try new.dataProvider.remove(at: [1, 0])
    #expect(log.entries.count == 6)
  }

  @Test func componentsChangePlacesInOneBatch() throws {
    let screen = try Screen(list)
    try list.performBatch {
      try first.dataProvider.remove(at: 0)
      try list.remove(first)
      try list.append(first)
      try first.dataProvider.remove(at: 0)
      try middle.dataProvider.remove(at: [0, 0])
    }
    #expect(screen.batches.map(\.description) == ["-[0] +[3] -[1,0]"])
    #expect(screen.shown == ["2", "3", "1", "2", "3"])
    #expect(screen.errors.isEmpty)
  }

  @Test func aComponentInsertedAndRemovedInOneBatchIsNotReported() throws {
    let new = try ArraySource.showing(try ArrayDataProvider(items: items([1])))
    try list.performBatch {
      try list.append(new)
      try new.dataProvider.append(Item(id: 2))
      try list.remove(new)
    }
    #expect(log.entries == ["will", "did no changes"])
  }

  /// In the original the component that had changed was guessed.
  @Test func twoComponentsThatLookTheSameAreDistinguished() throws {
    let twins = try (0..<2).map { _ in
      try ArraySource.showing(try ArrayDataProvider(title: "twin", items: items(1...2)))
    }
    let list = try ComposedTableViewDataSource(twins)
    list.observer = log
    try twins[1].dataProvider.remove(at: 0)
    #expect(log.entries == ["will", "did -[1,0]"])
  }

  @Test func theSameComponentTwiceIsRefused() throws {
    let inner = try ComposedTableViewDataSource()
    try list.append(inner)
    for (attempt, code) in [
      ({ try list.append(first) }, .duplicateComponent),
      ({ try inner.append(first) }, .duplicateComponent),
      ({ try inner.append(list) }, .duplicateComponent),
      ({ try inner.append(inner) }, .duplicateComponent),
      ({ try list.append(list) }, .duplicateComponent),
      ({ try list.append(inner) }, .duplicateComponent),
      ({ _ = try ComposedTableViewDataSource([inner, list]) }, .alreadyObserved),
    ] as [(() throws -> Void, TableDataError.Code)] {
      let error = #expect(throws: TableDataError.self) { try attempt() }
      #expect(error?.code == code)
    }
    let error = #expect(throws: TableDataError.self) { try inner.append(middle) }
    #expect(error?.code == .duplicateComponent)
    let free = try ArraySource.showing(try ArrayDataProvider(items: items([1])))
    #expect(throws: TableDataError.self) { try ComposedTableViewDataSource([free, free]) }
    // Nothing was taken.
    #expect(free.observer == nil)
    #expect(list.components.count == 4)
    #expect(inner.components.isEmpty)
  }

  @Test func aComponentOfAnotherListIsRefusedUntilItIsRemoved() throws {
    let other = try ComposedTableViewDataSource()
    let error = #expect(throws: TableDataError.self) { try other.append(first) }
    #expect(error?.code == .alreadyObserved)
    try list.remove(first)
    try other.append(first)
    let unknown = #expect(throws: TableDataError.self) { try list.remove(first) }
    #expect(unknown?.code == .unknownComponent)
    #expect(throws: TableDataError.self) { try other.insert(middle, at: 2) }
  }

  @Test func componentsAreNotRemovedWhileOneReportsThatItWillChange() throws {
    log.onWill = {
      let error = #expect(throws: TableDataError.self) { try list.remove(last) }
      #expect(error?.code == .changeInProgress)
    }
    try first.dataProvider.remove(at: 0)
    #expect(log.entries == ["will", "did -[0,0]"])
    #expect(list.components.count == 3)
  }

  /// The inner call removed the component, and the outer one then the component after it.
  @Test func componentsAreNotChangedWhileTheListReportsThatTheyWillChange() throws {
    let new = try ArraySource.showing(try ArrayDataProvider(items: items([1])))
    var refusals = 0
    log.onWill = {
      var attempts = [
        { try list.remove(last) }, { try list.append(new) }, { try list.swap(middle, last) },
      ]
      if list.components[0] === first { attempts.append { try list.remove(first) } }
      for attempt in attempts {
        let error = #expect(throws: TableDataError.self) { try attempt() }
        #expect(error?.code == .changeInProgress)
        refusals += 1
      }
    }
    try list.remove(first)
    #expect(list.components.count == 2)
    #expect(list.components[0] === middle)
    try list.insert(first, at: 0)
    try list.swap(first, last)
    #expect(refusals == 11)
    #expect(list.components.count == 3)
    #expect(zip(list.components, [last, middle, first] as [AnyObject]).allSatisfy { $0 === $1 })
    try list.checkInvariants()
    #expect(new.observer == nil)
  }

  @Test func aReleasedListReleasesItsComponents() throws {
    var list: ComposedTableViewDataSource? = try ComposedTableViewDataSource()
    let component = try ArraySource.showing(try ArrayDataProvider(items: items([1])))
    try list?.append(component)
    list = nil
    #expect(component.observer == nil)
    _ = try ComposedTableViewDataSource([component])
  }
}

/// A provider that is reset as a whole.
private final class ListProvider: ViewModelDataProvider {
  weak var observer: (any TableChangesObserver)?
  private var content: [[Int]]

  init(_ content: [[Int]]) { self.content = content }

  var sections: [SectionInfo] { content.map { SectionInfo(name: nil, numberOfRows: $0.count) } }

  func item(at indexPath: IndexPath) -> Int {
    content[indexPath.section][indexPath.row]
  }

  func reset(to new: [[Int]]) {
    let changes = TableChanges.reset(
      oldSectionCount: content.count, newSectionCount: new.count)
    observer?.contentWillChange(of: self)
    content = new
    observer?.contentDidChange(of: self, by: changes)
  }
}
