import Foundation
import TableData
import TableDataTesting
import Testing

struct FilteredDataProviderTests {
  typealias Filter = FilteredDataProvider<SectionDataProvider<Item>>

  let base: SectionDataProvider<Item>
  let even: Filter
  let harness: ProviderHarness<Filter, Int>

  init() throws {
    base = try SectionDataProvider(sections: [
      Section("A", [1, 2, 3, 4]), Section("B", [5, 7]), Section("C", [6]),
    ])
    even = try FilteredDataProvider(base) { $0.id.isMultiple(of: 2) }
    harness = try ProviderHarness(even)
    harness.observe()
  }

  private var told: [String] { harness.batches.map(\.description) }

  @Test func sectionsStayWithTheRowsThatAreLetThrough() throws {
    #expect(even.sections.map(\.numberOfRows) == [2, 0, 1])
    #expect(even.sectionIndexTitles() == ["A", "B", "C"])
    #expect(try even.itemForRow(at: [0, 1]).id == 4)
    #expect(even.baseIndexPath(for: [0, 1]) == [0, 3])
    #expect(even.indexPath(forBase: [0, 3]) == [0, 1])
    #expect(even.indexPath(forBase: [0, 2]) == nil)
    #expect(even.indexPath(forBase: [9, 0]) == nil)
    #expect(try even.indexPath(forIdentity: 4) == [0, 1])
    #expect(try even.indexPath(forIdentity: 5) == nil)
  }

  @Test func onlyRowsThatPassTheFilterAreReported() throws {
    try base.insert(items([8, 9, 10]), at: [0, 2])
    try base.remove(at: [0, 0])
    try base.replace(at: [1, 0], with: Item(id: 5, text: "odd"))
    try base.removeSection(at: 1)
    #expect(told == ["+[0,1] +[0,2]", "no changes", "no changes", "-[1]"])
    try harness.checkObserved()
  }

  @Test func aMoveAcrossHiddenRowsOnlyIsNoEvent() throws {
    try base.move(from: [0, 1], to: [0, 2])
    try base.move(from: [0, 2], to: [0, 3])
    try base.move(from: [0, 3], to: [1, 1])
    #expect(told == ["no changes", "[0,0]>[0,1]", "[0,1]>[1,0]"])
    try harness.checkObserved()
  }

  @Test func aRowIsInsertedAndDeletedByItsContent() throws {
    try even.setFilter { $0.text.isEmpty }
    try base.replace(at: [0, 2], with: Item(id: 3, text: "x"))
    try base.replace(at: [0, 2], with: Item(id: 3))
    #expect(told == ["+[0,0] +[0,2] +[1,0] +[1,1]", "-[0,2]", "+[0,2]"])
    try harness.checkObserved()
  }

  @Test func anotherFilterIsTheDifference() throws {
    #expect(try even.setFilter { $0.id > 3 }.description == "-[0,0] +[1,0] +[1,1]")
    #expect(try even.setFilter { $0.id >= 4 }.isEmpty)
    #expect(told.count == 1)
    try harness.checkObserved()
  }

  @Test func onlyItemsThatAreTouchedAreLookedAt() throws {
    let base = try ArrayDataProvider(items: items(0..<1_000))
    var looks = 0
    let filtered = try FilteredDataProvider(base) { item in
      looks += 1
      return item.id.isMultiple(of: 3)
    }
    #expect(looks == 1_000)
    try base.insert(Item(id: 3_000), at: 500)
    try base.remove(at: 0)
    try base.move(from: 10, to: 900)
    #expect(looks == 1_002)
    #expect(filtered.sections[0].numberOfRows == 334)
  }

  @Test func aRowThatCannotBeReadIsShownAndHasItsErrorAlone() throws {
    struct Unreadable: Error {}
    let base = try ArrayDataProvider(items: items(1...6))
    let mapped = try MappedDataProvider(base) { item in
      if item.text == "bad" { throw Unreadable() }
      return item
    }
    try base.replace(at: 2, with: Item(id: 3, text: "bad"))
    let even = try FilteredDataProvider(mapped) { $0.id.isMultiple(of: 2) }
    #expect(even.sections.map(\.numberOfRows) == [4])
    #expect(throws: Unreadable.self) { try even.itemForRow(at: [0, 1]) }
    #expect(try even.itemForRow(at: [0, 2]).id == 4)
    // A row that is shown cannot be read any more, then one that is not, and one that is inserted.
    var batches: [String] = []
    let observer = BatchObserver { batches.append($0.description) }
    even.observer = observer
    try base.replace(at: 3, with: Item(id: 4, text: "bad"))
    try base.replace(at: 4, with: Item(id: 5, text: "bad"))
    try base.insert(Item(id: 7, text: "bad"), at: 0)
    try base.replace(at: 3, with: Item(id: 3))
    #expect(batches == ["[0,2]=[0,2]", "+[0,3]", "+[0,0]", "-[0,2]"])
    #expect(observer.failures.isEmpty)
    #expect(even.sections.map(\.numberOfRows) == [5])
    try even.setFilter { $0.id == 1 }
    #expect(even.sections.map(\.numberOfRows) == [4])
  }

  @Test func theHarnessAcceptsAFilterInAComposedList() throws {
    let base = try ArrayDataProvider(items: items(1...4))
    let filter = try FilteredDataProvider(base) { $0.id.isMultiple(of: 2) }
    let list = try ComposedTableViewDataSource([TableViewDataSource.showing(filter)])
    let composed = try ProviderHarness(DataSourceProvider(list))
    composed.observe()
    try base.insert(Item(id: 9), at: 0)
    try base.insert(Item(id: 10), at: 0)
    #expect(composed.batches.map(\.description) == [TableChanges().description, "+[0,0]"])
    try composed.checkObserved()
  }

  @Test func aPredicateThatThrowsEmptiesTheListAndIsReported() throws {
    struct Unreadable: Error {}
    var isBroken = false
    let filtered = try FilteredDataProvider(try ArrayDataProvider(items: items(1...3))) { _ in
      if isBroken { throw Unreadable() }
      return true
    }
    let harness = try ProviderHarness(filtered)
    harness.observe()
    isBroken = true
    try filtered.base.append(Item(id: 4))
    #expect(harness.failures.count == 1)
    #expect(harness.failures.first is Unreadable)
    #expect(filtered.sections == [])
    try harness.checkObserved()
    isBroken = false
    try filtered.base.append(Item(id: 5))
    #expect(filtered.sections.map(\.numberOfRows) == [5])
    #expect(harness.batches.map(\.description) == ["reset 1>0", "reset 0>1"])
    try harness.checkObserved()
  }

  @Test func aFilterThatThrowsIsNotTaken() throws {
    struct Failure: Error {}
    #expect(throws: Failure.self) { try even.setFilter { _ in throw Failure() } }
    try base.insert(Item(id: 8), at: [1, 0])
    #expect(told == ["+[1,0]"])
    try harness.checkObserved()
  }

  @Test func aBaseThatIsObservedIsRefused() {
    let error = #expect(throws: TableDataError.self) {
      try FilteredDataProvider(base) { _ in true }
    }
    #expect(error?.code == .alreadyObserved)
  }

  @Test func editsAreWrittenToTheBase() throws {
    try even.removeRow(at: [0, 0])
    try even.moveRow(at: [0, 0], to: [2, 1])
    try even.insertRow(Item(id: 8), at: [1, 0])
    try even.insertRow(Item(id: 10), at: [2, 1])
    #expect(base.content.map { $0.items.map(\.id) } == [[1, 3], [5, 7, 8], [6, 10, 4]])
    try even.moveRow(at: [2, 0], to: [2, 1])
    #expect(base.content[2].items.map(\.id) == [10, 6, 4])
    try even.moveRow(at: [2, 2], to: [2, 0])
    #expect(base.content[2].items.map(\.id) == [4, 10, 6])
    #expect(throws: TableDataError.self) { try even.removeRow(at: [1, 1]) }
    try harness.checkObserved()
  }

  @Test(arguments: SeededGenerator.seeds(40))
  func randomEditsAreFollowed(seed: UInt64) throws {
    var edits = RandomEdits(seed: seed)
    for step in 0..<40 {
      if edits.number(in: 0..<5) == 0 {
        let divisor = edits.number(in: 1..<4)
        try even.setFilter { ($0.id + $0.text.count).isMultiple(of: divisor) }
      } else {
        try edits.edit(base)
      }
      #expect(throws: Never.self, "step \(step)") {
        try harness.checkObserved()
        try even.checkInvariants()
      }
    }
  }

  @Test func itIsNotChangedInWill() throws {
    let log = ObservationLog()
    even.observer = log
    var errors: [TableDataError?] = []
    log.onWill = {
      errors.append(#expect(throws: TableDataError.self) { try even.setFilter { $0.id == 1 } })
    }
    // Both when the base changes, and when it changes itself.
    try base.remove(at: [0, 0])
    try even.setFilter { _ in false }
    #expect(errors.map { $0?.code } == [.changeInProgress, .changeInProgress])
    #expect(log.entries.count == 4)
    log.onWill = {}
    try even.setFilter { _ in true }
    try even.checkInvariants()
  }
}

private final class BatchObserver: TableChangesObserver {
  private let did: (TableChanges) -> Void
  private(set) var failures: [any Error] = []

  init(_ did: @escaping (TableChanges) -> Void) { self.did = did }

  func contentWillChange(of sender: any TableChangesSender) {}
  func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
    did(changes)
  }
  func content(of sender: any TableChangesSender, didFailWith error: any Error) {
    failures.append(error)
  }
}
