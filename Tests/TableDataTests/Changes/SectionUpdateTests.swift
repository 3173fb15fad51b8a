import Foundation
import TableDataTesting
import Testing

@testable import TableData

/// Rule 26: sections that stay and have a new header or footer.
@Suite struct SectionUpdateTests {
  private typealias Update = TableChanges.SectionUpdate

  private let changes = TableChanges(
    deletedSections: [0], insertedSections: [1],
    updatedSections: [Update(old: 1, new: 0), Update(old: 2, new: 2)],
    deletedRows: [[0, 0]], insertedRows: [[1, 0]])

  // MARK: Validating

  @Test func updatesAreLegalWhereTheSectionGoes() throws {
    try changes.validate(oldCounts: [1, 1, 1], newCounts: [1, 1, 1])
    #expect("\(changes)" == "-[0] +[1] [1]=[0] [2]=[2] -[0,0] +[1,0]")
    #expect(!TableChanges(updatedSections: [Update(old: 0, new: 0)]).isEmpty)
  }

  @Test(arguments: [
    ([(3, 3)], TableUpdateError.Code.outOfRange), ([(1, 1)], .updatedIndexPath),
    ([(0, 0)], .conflict), ([(1, 0), (1, 0)], .conflict), ([(2, 2), (1, 0)], .order),
  ])
  func otherUpdatesAreRefused(_ updates: [(Int, Int)], code: TableUpdateError.Code) {
    var changes = changes
    changes.updatedSections = updates.map { Update(old: $0.0, new: $0.1) }
    let error = #expect(throws: TableUpdateError.self) {
      try changes.validate(oldCounts: [1, 1, 1], newCounts: [1, 1, 1])
    }
    #expect(error?.code == code)
  }

  // MARK: Forms

  @Test func theStagedFormUpdatesLast() {
    var changes = changes
    changes.updatesTotals = true
    #expect(
      changes.staged.map(\.description)
        == ["-[0] -[0,0]", "+[1] +[1,0]", "[0]=[0] [2]=[2] totals"])
  }

  @Test func theSequentialFormUpdatesBetweenSectionsAndRows() {
    #expect(
      changes.sequential == [
        .deleteRow(at: [0, 0]), .deleteSection(at: 0), .insertSection(at: 1),
        .updateSection(at: 0), .updateSection(at: 2), .insertRow(at: [1, 0], new: [1, 0]),
      ])
  }

  // MARK: Combining

  @Test func partsShiftTheirUpdates() {
    var part = TableChanges(updatedSections: [Update(old: 0, new: 1)])
    part.updatesTotals = true
    let whole = TableChanges.combined([
      part.offset(old: 2, new: 3), TableChanges(updatedSections: [Update(old: 0, new: 0)]),
    ])
    #expect("\(whole)" == "[0]=[0] [2]=[4] totals")
  }

  @Test func twoBatchesUpdateASectionOnce() {
    let first = TableChanges(
      insertedSections: [0], updatedSections: [Update(old: 0, new: 1), Update(old: 1, new: 2)])
    let second = TableChanges(
      deletedSections: [1],
      updatedSections: [Update(old: 0, new: 0), Update(old: 2, new: 1), Update(old: 3, new: 2)])
    // The first section is deleted, and an inserted one has no other event.
    #expect(
      "\(first.followed(by: second))" == "-[0] +[0] [1]=[1] [2]=[2]")
    var totals = TableChanges()
    totals.updatesTotals = true
    #expect(totals.followed(by: second).updatesTotals)
    #expect(second.followed(by: totals).updatesTotals)
  }

  // MARK: Lists

  /// A list that tells what it is asked to tell.
  private final class Totals: ViewModelDataProvider {
    weak var observer: (any TableChangesObserver)?
    let rows = [["a", "b"], ["c"]]
    var sections: [SectionInfo] {
      rows.enumerated().map { SectionInfo(name: "\($0)", numberOfRows: $1.count) }
    }

    func item(at path: IndexPath) throws -> String { rows[path.section][path.row] }

    func tell(_ changes: TableChanges) {
      observer?.contentWillChange(of: self)
      observer?.contentDidChange(of: self, by: changes)
    }
  }

  private final class Witness: TableChangesObserver {
    var changes: [TableChanges] = []
    func contentWillChange(of sender: any TableChangesSender) {}
    func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
      self.changes.append(changes)
    }
    func content(of sender: any TableChangesSender, didFailWith error: any Error) {
      Issue.record(error)
    }
  }

  private var update: TableChanges {
    var changes = TableChanges(updatedSections: [Update(old: 1, new: 1)])
    changes.updatesTotals = true
    return changes
  }

  @Test func filteredAndFoldedListsPassThemOn() throws {
    let witness = Witness()
    let base = Totals()
    let filtered = try FilteredDataProvider(base) { $0 != "c" }
    let folded = try FoldedDataProvider(filtered, isFolded: true)
    folded.observer = witness
    base.tell(update)
    #expect(witness.changes == [update])
  }

  @Test func aComposedListShiftsThem() throws {
    let witness = Witness()
    let (first, second) = (Totals(), Totals())
    let list = try ComposedTableViewDataSource([
      try TableViewDataSource(dataProvider: first), try TableViewDataSource(dataProvider: second),
    ])
    list.observer = witness
    second.tell(update)
    #expect(witness.changes.map(\.description) == ["[3]=[3] totals"])
  }

  @Test func aTableReloadsNoCell() throws {
    let base = Totals()
    let source = try TableViewDataSource(dataProvider: base)
    source.registerCell(TextCell.self, identifier: "text", for: String.self)
    let table = TableView()
    table.dataSource = source
    try table.reloadData()
    let cells = table.visibleCells.map(ObjectIdentifier.init)
    try table.apply(update)
    #expect(table.visibleCells.map(ObjectIdentifier.init) == cells)
    #expect(throws: TableUpdateError.self) {
      try table.apply(TableChanges(updatedSections: [Update(old: 2, new: 2)]))
    }
  }

  @Test func aHeaderMayBeMadeByItsNumber() throws {
    let source = try TableViewDataSource(dataProvider: Totals())
    #expect(try source.section(1).header.title == "1")
    source.headerTitle = { $0 == 1 ? "1 (total 30)" : nil }
    #expect(try source.section(1).header.title == "1 (total 30)")
    #expect(try source.section(0).header.title == nil)
    #expect(throws: TableDataError.self) { try source.section(2).header.title }
  }

  private final class TextCell: TableViewCell, Configurable {
    func configure(with viewModel: String) {}
  }
}
