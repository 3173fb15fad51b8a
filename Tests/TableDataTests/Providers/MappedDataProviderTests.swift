import Foundation
import TableData
import TableDataTesting
import Testing

struct MappedDataProviderTests {
  /// Shows the first letter of an item.
  private struct Model: ItemViewModel, Hashable {
    let id: Int
    let letter: String
    init(_ item: Item) { (id, letter) = (item.id, String(item.text.prefix(1))) }
  }

  private typealias Mapped = MappedDataProvider<SectionDataProvider<Item>, Model>

  private let base: SectionDataProvider<Item>
  private let mapped: Mapped
  private let harness: ProviderHarness<Mapped, Int>

  init() throws {
    base = try SectionDataProvider(sections: [
      Section("Apples", [1, 2, 3]),
      Section(id: "p", name: "Pears", footer: "2", items: items([4, 5])),
    ])
    mapped = try base.map { Model($0) }
    harness = try ProviderHarness(mapped)
    harness.observe()
  }

  private var told: [String] { harness.batches.map(\.description) }

  @Test func sectionsTitlesAndIdentitiesAreThoseOfTheBase() throws {
    try mapped.checkConformance()
    #expect(mapped.sections == base.sections)
    #expect(try mapped.identityForSection(1) == AnyHashable(SectionID("p")))
    #expect(mapped.sectionIndexTitles() == ["A", "P"])
    #expect(try mapped.identityForRow(at: [1, 0]) == AnyHashable(4))
    #expect(try mapped.indexPath(forIdentity: 5) == [1, 1])
    #expect(try mapped.itemForRow(at: [0, 1]).id == 2)
    #expect(throws: TableDataError.self) { try mapped.itemForRow(at: [0, 3]) }
  }

  @Test func batchesArePassedOn() throws {
    try base.insert(Item(id: 6), at: [0, 0])
    try base.move(from: [0, 1], to: [1, 0])
    try base.setTitle("Plums", ofSection: 1)
    try base.removeSection(at: 0)
    #expect(
      told == ["+[0,0]", "[0,1]>[1,0]", "[1]=[1]", "-[0] -[0,2] -[0,1] -[0,0]"])
    try harness.checkObserved()
  }

  @Test func aViewModelThatStaysEqualIsNotUpdated() throws {
    try base.replace(at: [0, 1], with: Item(id: 2, text: "quince"))
    try base.replace(at: [0, 1], with: Item(id: 2, text: "quaint"))
    try base.performBatch {
      $0[0].items[1].text = "quite"
      $0[1].items[0].text = "new"
      $0[0].items.removeFirst()
    }
    #expect(told == ["[0,1]=[0,1]", "no changes", "-[0,0] [1,0]=[1,0]"])
    try harness.checkObserved()
  }

  @Test func anObjectIsTheSameUntilItsRowChanges() throws {
    final class Object { let text: String; init(_ text: String) { self.text = text } }
    let base = try ArrayDataProvider(items: items([1, 2]))
    let objects = try base.map { Object($0.text) }
    let second = try objects.itemForRow(at: [0, 1])
    try base.insert(Item(id: 3), at: 0)
    #expect(try objects.itemForRow(at: [0, 2]) === second)
    let log = ObservationLog()
    objects.observer = log
    try base.replace(at: 2, with: Item(id: 2, text: "x"))
    #expect(log.entries == ["will", "did [0,2]=[0,2]"])
    #expect(try objects.itemForRow(at: [0, 2]).text == "x")
    // After a move its content may be new.
    try base.performBatch { $0 = [$0[2], $0[0], $0[1]] }
    #expect(try objects.itemForRow(at: [0, 0]).text == "x")
  }

  @Test func rowsAreDeletedAndMovedInTheBaseAndNoneIsInserted() throws {
    try mapped.moveRow(at: [0, 0], to: [1, 2])
    try mapped.removeRow(at: [0, 0])
    #expect(base.content.map { $0.items.map(\.id) } == [[3], [4, 5, 1]])
    #expect(try mapped.destination(of: .delete([0, 0])) == [0, 0])
    #expect(try mapped.destination(of: .move([0, 0], to: [1, 0])) == [1, 0])
    let model = Model(Item(id: 9))
    #expect(try mapped.destination(of: .insert(model, at: [0, 0])) == nil)
    let error = #expect(throws: TableDataError.self) {
      try mapped.insertRow(model, at: [0, 0])
    }
    #expect(error?.code == .notEditable)
    try harness.checkObserved()
  }

  /// The list asks before it deletes the row from the other component.
  @Test func aRowOfAnotherListIsNotMovedIntoIt() throws {
    let other = try TableViewDataSource(
      dataProvider: try ArrayDataProvider(items: [Model(Item(id: 8))]))
    let list = try ComposedTableViewDataSource([
      try TableViewDataSource(dataProvider: try self.base.copy().map { Model($0) }), other,
    ])
    let error = #expect(throws: TableDataError.self) {
      try list.perform(.move([2, 0], to: [0, 0]))
    }
    #expect(error?.code == .notEditable)
    #expect(other.dataProvider.items.count == 1)
  }

  @Test func anErrorOfTheTransformIsThatOfItsRow() throws {
    struct Failure: Error {}
    let base = try ArrayDataProvider(items: items(1...3))
    let mapped = try base.map { item in
      guard item.text != "bad" else { throw Failure() }
      return Model(item)
    }
    let log = ObservationLog()
    mapped.observer = log
    _ = try mapped.itemForRow(at: [0, 1])
    try base.replace(at: 1, with: Item(id: 2, text: "bad"))
    #expect(log.entries == ["will", "did [0,1]=[0,1]"])
    #expect(throws: Failure.self) { try mapped.itemForRow(at: [0, 1]) }
    #expect(try mapped.itemForRow(at: [0, 2]).id == 3)
  }

  @Test func aBaseThatIsObservedIsRefused() throws {
    let error = #expect(throws: TableDataError.self) { try base.map { $0 } }
    #expect(error?.code == .alreadyObserved)
  }

  /// More rows than view models that are kept.
  @Test func aRowThatWasReadLongAgoIsUpdated() throws {
    let base = try ArrayDataProvider(items: items(0..<4_000))
    let mapped = try base.map { Model($0) }
    for row in 0..<4_000 { _ = try mapped.itemForRow(at: [0, row]) }
    let log = ObservationLog()
    mapped.observer = log
    try base.replace(at: 3_999, with: Item(id: 3_999, text: ""))
    try base.replace(at: 0, with: Item(id: 0, text: "x"))
    #expect(log.entries == ["will", "did [0,0]=[0,0]"])
  }

  /// Rows are read one by one, with a change after each.
  @Test func onlyTheViewModelsThatWereReadLastAreKept() throws {
    final class Count { var value = 0 }
    final class Object {
      let count: Count
      init(_ count: Count) {
        self.count = count
        count.value += 1
      }
      deinit { count.value -= 1 }
    }
    let count = Count()
    let base = try ArrayDataProvider(items: items(0..<3_000))
    let mapped = try base.map { _ in Object(count) }
    for row in 0..<3_000 {
      _ = try mapped.itemForRow(at: [0, row])
      try base.replace(at: 2_999, with: Item(id: 2_999, text: "\(row)"))
    }
    #expect(1_000...2_000 ~= count.value, "\(count.value) are kept")
  }

  @Test(arguments: SeededGenerator.seeds(40))
  func randomEditsAreFollowed(seed: UInt64) throws {
    var edits = RandomEdits(seed: seed)
    for step in 0..<40 {
      try edits.edit(base)
      #expect(throws: Never.self, "step \(step)") { try harness.checkObserved() }
    }
  }
}

extension SectionDataProvider<Item> {
  /// The same sections in a provider without an observer.
  fileprivate func copy() throws -> SectionDataProvider {
    try SectionDataProvider(sections: content)
  }
}
