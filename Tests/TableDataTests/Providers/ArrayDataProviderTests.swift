import Foundation
import TableData
import TableDataTesting
import Testing

struct ArrayDataProviderTests {
  let list: ArrayDataProvider<Item>
  let harness: ProviderHarness<ArrayDataProvider<Item>, Int>

  init() throws {
    list = try ArrayDataProvider(title: "numbers", items: items(1...4))
    harness = try ProviderHarness(list)
    harness.observe()
  }

  @Test func aListWithATitleHasItsFirstLetterInTheIndex() throws {
    #expect(list.sections == [SectionInfo(name: "numbers", indexTitle: "N", numberOfRows: 4)])
    #expect(try list.title(forSection: 0) == "numbers")
    #expect(list.sectionIndexTitles() == ["N"])
    let plain = try ArrayDataProvider(items: items(1...2))
    #expect(try plain.title(forSection: 0) == nil)
    #expect(plain.sectionIndexTitles() == [])
    try ArrayDataProvider(items: items([])).checkConformance()
  }

  @Test func eachMutationIsReportedAsItsKind() throws {
    #expect(try list.append(Item(id: 5)).description == "+[0,4]")
    #expect(try list.insert(items([6, 7]), at: 0).description == "+[0,0] +[0,1]")
    #expect(try list.remove(at: 2).description == "-[0,2]")
    #expect(try list.move(from: 0, to: 3).description == "[0,0]>[0,3]")
    #expect(try list.replace(at: 0, with: Item(id: 7, text: "x")).description == "[0,0]=[0,0]")
    #expect(try list.replace(at: 0, with: Item(id: 8)).description == "-[0,0] +[0,0]")
    #expect(list.items.map(\.id) == [8, 2, 3, 6, 4, 5])
    #expect(harness.batches.count == 6)
    try harness.checkObserved()
  }

  @Test func aChangeWithoutEffectIsNotReported() throws {
    #expect(try list.move(from: 1, to: 1).isEmpty)
    #expect(try list.replace(at: 1, with: list.items[1]).isEmpty)
    #expect(try list.insert([], at: 0).isEmpty)
    #expect(try list.setItems(list.items).isEmpty)
    #expect(
      try list.performBatch {
        $0.reverse(); $0.reverse()
      }.isEmpty)
    #expect(harness.batches.isEmpty)
    try harness.checkObserved()
  }

  @Test func aBatchIsReportedOnceAndMinimally() throws {
    let changes = try list.performBatch { items in
      items.swapAt(0, 1)
      items[2].text = "changed"
      items.append(Item(id: 5))
      items.append(Item(id: 6))
      items.removeLast()
    }
    #expect(harness.batches == [changes])
    #expect(changes.rowCount == 3)
    #expect(changes.movedRows.count == 1)
    try harness.checkObserved()
  }

  @Test func otherItemsAreADifferenceByIdentity() throws {
    #expect(
      try list.setItems(items([9, 2, 3, 1])).description == "-[0,3] +[0,0] [0,0]>[0,3]")
    try harness.checkObserved()
  }

  @Test func anItemThatIsThereIsRefusedAndNothingChanges() throws {
    for attempt in [
      { try list.append(Item(id: 2)) }, { try list.insert(items([8, 8]), at: 0) },
      { try list.replace(at: 0, with: Item(id: 2)) }, { try list.setItems(items([1, 1])) },
      { try list.performBatch { $0.append(Item(id: 3)) } },
    ] as [() throws -> TableChanges] {
      let error = #expect(throws: TableDataError.self) { try attempt() }
      #expect(error?.code == .duplicateIdentity)
    }
    #expect(throws: TableDataError.self) { try ArrayDataProvider(items: items([1, 1])) }
    #expect(harness.batches.isEmpty)
    try harness.checkObserved()
    // One that is gone may come again.
    try list.remove(at: 0)
    try list.append(Item(id: 1))
    try harness.checkObserved()
  }

  @Test func aPlaceThatIsNotThereIsRefused() throws {
    for attempt in [
      { try list.insert(Item(id: 9), at: 5) }, { try list.insert(Item(id: 9), at: -1) },
      { try list.remove(at: 4) }, { try list.replace(at: 4, with: Item(id: 9)) },
      { try list.move(from: 4, to: 0) }, { try list.move(from: 0, to: 4) },
    ] as [() throws -> TableChanges] {
      let error = #expect(throws: TableDataError.self) { try attempt() }
      #expect(error?.code == .rowOutOfRange)
    }
    try harness.checkObserved()
  }

  @Test func theObserverCannotChangeTheListInWillAndCanInDid() throws {
    let log = ObservationLog()
    list.observer = log
    log.onWill = {
      let error = #expect(throws: TableDataError.self) { try list.remove(at: 0) }
      #expect(error?.code == .changeInProgress)
      #expect(list.items.count == 4)
    }
    try list.append(Item(id: 5))
    log.onWill = {}
    log.onDid = { changes in
      guard changes.deletedRows.isEmpty else { return }
      #expect(throws: Never.self) { try list.remove(at: 0) }
    }
    try list.append(Item(id: 6))
    #expect(log.entries == ["will", "did +[0,4]", "will", "did +[0,5]", "will", "did -[0,0]"])
  }

  @Test func anItemIsFoundByItsIdentity() throws {
    #expect(try list.identityForRow(at: [0, 2]) == AnyHashable(3))
    #expect(list.indexPath(forIdentity: 3) == [0, 2])
    #expect(list.indexPath(forIdentity: 9) == nil)
    #expect(list.indexPath(forIdentity: "3") == nil)
  }

  @Test func itemsOfSeveralTypesAreDifferentWhateverTheirIdentitiesAre() throws {
    struct Other: ItemViewModel { let id: Int }
    let mixed = try ArrayDataProvider<any ItemViewModel>(items: [Item(id: 1), Other(id: 1)])
    try mixed.checkConformance { "\($0)" }
    let ids = try (0..<2).map { try mixed.identityForRow(at: [0, $0]) }
    #expect(ids[0] != ids[1])
    #expect(try mixed.indexPath(forIdentity: #require(ids[1])) == [0, 1])
    let error = #expect(throws: TableDataError.self) { try mixed.append(Other(id: 1)) }
    #expect(error?.code == .duplicateIdentity)
    // Nothing says whether an `Other` looks the same.
    #expect(try mixed.replace(at: 0, with: Item(id: 1)).isEmpty)
    #expect(try mixed.replace(at: 1, with: Other(id: 1)).description == "[0,1]=[0,1]")
  }

  @Test func anObjectThatIsTheSameLooksTheSame() throws {
    final class Thing {}
    let things = [Thing(), Thing()]
    let list = try ArrayDataProvider(items: things, identity: { ObjectIdentifier($0) })
    #expect(try list.setItems(things).isEmpty)
    #expect(try list.setItems(things.reversed()).movedRows.count == 1)
  }

  private final class Row: Identifiable, Equatable {
    let id: Int
    var text: String
    init(id: Int, text: String) { (self.id, self.text) = (id, text) }
    static func == (lhs: Row, rhs: Row) -> Bool { lhs.id == rhs.id && lhs.text == rhs.text }
  }

  @Test func anObjectThatChangedInPlaceIsUpdated() throws {
    let rows = [Row(id: 1, text: "a"), Row(id: 2, text: "b")]
    let list = try ArrayDataProvider(items: rows)
    let log = ObservationLog()
    list.observer = log
    rows[1].text = "c"
    #expect(try list.replace(at: 1, with: rows[1]).description == "[0,1]=[0,1]")
    rows[0].text = "d"
    #expect(try list.update(at: 0).description == "[0,0]=[0,0]")
    #expect(log.entries == ["will", "did [0,1]=[0,1]", "will", "did [0,0]=[0,0]"])
    // Another object that looks the same is no change.
    #expect(try list.replace(at: 1, with: Row(id: 2, text: "c")).isEmpty)
    #expect(throws: TableDataError.self) { try list.update(at: 2) }

    let sections = try SectionDataProvider(sections: [Section(name: nil, items: rows)])
    #expect(try sections.update(at: [0, 1]).description == "[0,1]=[0,1]")
    #expect(try sections.replace(at: [0, 0], with: rows[0]).description == "[0,0]=[0,0]")
    #expect(throws: TableDataError.self) { try sections.update(at: [1, 0]) }
    let models: [any ItemViewModel] = [Model()]
    let mixed = try ArrayDataProvider(items: models)
    #expect(try mixed.replace(at: 0, with: models[0]).description == "[0,0]=[0,0]")
  }

  private final class Model: ItemViewModel { let id = 1 }

  @Test func anotherTitleIsAnotherHeader() throws {
    let list = try ArrayDataProvider(title: "Apples", items: items([1, 2]))
    let harness = try ProviderHarness(list)
    harness.observe()
    try list.setTitle("Pears")
    #expect(list.title == "Pears" && list.sectionIndexTitles() == ["P"])
    try list.setFooter("2 in all")
    #expect(list.footer == "2 in all")
    try list.setItems(items([2, 3]))
    #expect(list.footer == "2 in all")
    try list.setTitle("Pears")
    #expect(harness.batches.map(\.description) == ["[0]=[0]", "[0]=[0]", "-[0,0] +[0,1]"])
    try harness.checkObserved()
  }

  @Test(arguments: SeededGenerator.seeds(30))
  func randomEditsAreFollowed(seed: UInt64) throws {
    var edits = RandomEdits(seed: seed)
    for step in 0..<40 {
      try edits.edit(list)
      #expect(throws: Never.self, "step \(step)") {
        try harness.checkObserved()
        try list.checkInvariants()
      }
    }
  }
}
