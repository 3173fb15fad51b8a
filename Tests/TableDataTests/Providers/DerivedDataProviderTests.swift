import Foundation
import TableData
import TableDataTesting
import Testing

/// What a list of one's own has without code, if it is based on another one.
struct DerivedDataProviderTests {
  /// The sections of another list, the last one first.
  private final class Reversed: DerivedDataProvider, EditableDataProvider {
    typealias Item = TableDataTests.Item
    struct Failure: Error {}

    weak var observer: (any TableChangesObserver)?
    let base: SectionDataProvider<Item>
    private(set) var sections: [SectionInfo]
    var isBroken = false

    init(_ base: SectionDataProvider<Item>) throws {
      self.base = base
      sections = base.sections.reversed()
      try base.setObserver(self)
    }

    func baseIndexPath(for indexPath: IndexPath) -> IndexPath? {
      IndexPath(row: indexPath.row, section: sections.count - 1 - indexPath.section)
    }

    func indexPath(forBase indexPath: IndexPath) -> IndexPath? { baseIndexPath(for: indexPath) }

    func identityForSection(_ section: Int) throws -> AnyHashable? {
      try base.identityForSection(sections.count - 1 - section)
    }

    /// Of a base whose sections stay.
    func follow(_ changes: TableChanges) throws -> TableChanges {
      sections = isBroken ? [] : base.sections.reversed()
      if isBroken { throw Failure() }
      return changes.converted(old: baseIndexPath(for:), new: baseIndexPath(for:))
    }
  }

  private let base: SectionDataProvider<Item>
  private let list: Reversed

  init() throws {
    base = try SectionDataProvider(sections: [Section("A", [1, 2, 3]), Section("B", [4])])
    list = try Reversed(base)
  }

  @Test func itsRowsAreThoseOfTheBaseElsewhere() throws {
    #expect(list.sections.map(\.name) == ["B", "A"])
    #expect(try list.itemForRow(at: [1, 2]).id == 3)
    #expect(try list.identityForRow(at: [0, 0]) == AnyHashable(4))
    #expect(try list.indexPath(forIdentity: 2) == [1, 1])
    #expect(try list.indexPath(forIdentity: 9) == nil)
    try list.checkConformance()
  }

  @Test(
    arguments: [
      ([0, 1], "there is no row [0, 1]: its section has 1 row"),
      ([2, 0], "there is no row [2, 0]: the list has 2 sections"),
      ([0], "there is no row [0]: the index path of a row is [section, row]"),
    ] as [(IndexPath, String)])
  func aRowThatDoesNotExistIsAnErrorOfItsOwn(path: IndexPath, message: String) {
    for error in [
      #expect(throws: TableDataError.self) { try list.itemForRow(at: path) },
      #expect(throws: TableDataError.self) { try list.identityForRow(at: path) },
      #expect(throws: TableDataError.self) { try list.willDisplayRow(at: path) },
      #expect(throws: TableDataError.self) { try list.removeRow(at: path) },
      #expect(throws: TableDataError.self) { try list.moveRow(at: path, to: [0, 0]) },
      #expect(throws: TableDataError.self) { try list.destination(of: .delete(path)) },
    ] { #expect(error?.message == message) }
  }

  @Test func displayEventsReachTheRowsOfTheBase() throws {
    let recorder = try DisplayRecorder(try SectionDataProvider(sections: [Section("A", [1, 2])]))
    let even = try FilteredDataProvider(recorder) { $0.id.isMultiple(of: 2) }
    try even.willDisplayRow(at: [0, 0])
    #expect(recorder.displayed == [2])
    even.didEndDisplayingRow(withIdentity: 2)
    #expect(recorder.displayed.isEmpty)
  }

  @Test func editsAreMadeInTheBaseAndComeBackOnce() throws {
    let harness = try ProviderHarness(list)
    harness.observe()
    try list.removeRow(at: [1, 0])
    try list.moveRow(at: [1, 0], to: [1, 1])
    try list.moveRow(at: [1, 1], to: [0, 0])
    try list.moveRow(at: [0, 0], to: [0, 0])
    try list.insertRow(Item(id: 5), at: [0, 2])
    #expect(base.content.map { $0.items.map(\.id) } == [[3], [2, 4, 5]])
    #expect(
      harness.batches.map(\.description) == ["-[1,0]", "[1,0]>[1,1]", "[1,1]>[0,0]", "+[0,2]"])
    try harness.checkObserved()
  }

  @Test(arguments: [[0, 3], [2, 0], [1], [0, -1]] as [IndexPath])
  func anEditToWhereNoRowCanBeChangesNothing(path: IndexPath) throws {
    #expect(throws: TableDataError.self) { try list.moveRow(at: [1, 0], to: path) }
    #expect(throws: TableDataError.self) { try list.insertRow(Item(id: 5), at: path) }
    #expect(base.content.map { $0.items.map(\.id) } == [[1, 2, 3], [4]])
  }

  @Test func aBaseThatCannotBeFollowedIsAResetAndAnError() throws {
    let log = ObservationLog()
    list.observer = log
    list.isBroken = true
    try base.remove(at: [0, 0])
    #expect(log.entries == ["will", "did reset 2>0", "failed: Failure()"])
    list.isBroken = false
    try base.remove(at: [0, 0])
    #expect(try list.itemForRow(at: [1, 0]).id == 3)
  }
}
