import Foundation
import TableData
import TableDataTesting
import Testing

struct FoldedDataProviderTests {
  typealias Folded = FoldedDataProvider<SectionDataProvider<Item>>

  let base: SectionDataProvider<Item>
  let folded: Folded
  let harness: ProviderHarness<Folded, Int>

  init() throws {
    base = try SectionDataProvider(sections: [
      Section("A", [1, 2, 3]), Section("B", [4, 5]), Section("C", []),
    ])
    folded = try FoldedDataProvider(base)
    harness = try ProviderHarness(folded)
    harness.observe()
  }

  private var told: [String] { harness.batches.map(\.description) }

  @Test func foldingDeletesTheRowsAndUnfoldingInsertsThem() throws {
    try folded.setFolded(true, section: 0)
    #expect(folded.sections.map(\.numberOfRows) == [0, 2, 0])
    #expect(throws: TableDataError.self) { try folded.itemForRow(at: [0, 0]) }
    try folded.setFolded(true, section: 0)
    try folded.setFolded(false, section: 0)
    try folded.setFolded(true, section: 2)
    #expect(told == ["-[0,2] -[0,1] -[0,0]", "+[0,0] +[0,1] +[0,2]"])
    #expect(throws: TableDataError.self) { try folded.setFolded(true, section: 3) }
    try harness.checkObserved()
  }

  @Test func changesInAFoldedSectionAreNotReported() throws {
    try folded.setFolded(true, section: 0)
    try base.insert(Item(id: 9), at: [0, 0])
    try base.replace(at: [0, 1], with: Item(id: 1, text: "x"))
    try base.move(from: [0, 3], to: [1, 0])
    try base.move(from: [1, 2], to: [0, 0])
    #expect(
      told.dropFirst() == ["no changes", "no changes", "+[1,0]", "-[1,2]"])
    try folded.setFolded(false, section: 0)
    #expect(folded.sections.map(\.numberOfRows) == [4, 2, 0])
    try harness.checkObserved()
  }

  @Test func aSectionStaysFoldedWhenItMoves() throws {
    try folded.setFolded(true, section: 1)
    try base.insertSection(Section("0", [7]), at: 0)
    #expect(try folded.isFolded(section: 2))
    folded.foldsNewSections = true
    try base.insertSection(Section("00", [8]), at: 0)
    #expect(folded.sections.map(\.numberOfRows) == [0, 1, 3, 0, 0])
    try base.removeSection(at: 3)
    #expect(try (0..<4).map { try folded.isFolded(section: $0) } == [true, false, false, false])
    try harness.checkObserved()
  }

  @Test func aSectionIsFoldedAsBeforeWhenItComesBack() throws {
    try folded.setFolded(true, section: 1)
    let section = base.content[1]
    try base.removeSection(at: 1)
    try base.insertSection(Section("D", [9]), at: 0)
    #expect(try !folded.isFolded(section: 0))
    try base.insertSection(section, at: 0)
    #expect(try folded.isFolded(section: 0))
    // A move is a delete and an insert.
    try base.moveSection(from: 0, to: 3)
    #expect(folded.sections.map(\.numberOfRows) == [1, 3, 0, 0])
    try base.setTitle("Z", ofSection: 3)
    try base.removeSection(at: 3)
    try base.insertSection(section, at: 0)
    #expect(try folded.isFolded(section: 0))
    try folded.checkInvariants()
    try harness.checkObserved()
  }

  @Test func aSectionUnfoldedByTheUserStaysSoWhereNewOnesAreFolded() throws {
    folded.foldsNewSections = true
    let section = base.content[0]
    try base.removeSection(at: 0)
    try base.insertSection(section, at: 1)
    #expect(try !folded.isFolded(section: 1))
    try base.insertSection(Section("D", [9]), at: 0)
    #expect(try folded.isFolded(section: 0))
    try harness.checkObserved()
  }

  @Test func aResetLeavesSectionsFolded() throws {
    let base = LyingProvider([[1, 2, 3], [4]])
    let folded = try FoldedDataProvider(base)
    try folded.setFolded(true, section: 1)
    base.content = [[4], [1, 2, 3], [5, 6]]
    base.tell(.reset(oldSectionCount: 2, newSectionCount: 3))
    #expect(folded.sections.map(\.numberOfRows) == [0, 3, 2])
  }

  @Test func aHeaderThatChangesIsPassedOnFromAFoldedSection() throws {
    try folded.setFolded(true, section: 0)
    try base.setTitle("Apples", ofSection: 0)
    #expect(told.last == "[0]=[0]")
    try harness.checkObserved()
  }

  @Test func aRowOfAFoldedSectionIsNotFoundAndCannotBeEdited() throws {
    #expect(try folded.indexPath(forIdentity: 4) == [1, 0])
    try folded.setFolded(true, section: 1)
    #expect(try folded.indexPath(forIdentity: 4) == nil)
    #expect(throws: TableDataError.self) { try folded.removeRow(at: [1, 0]) }
    try folded.moveRow(at: [0, 0], to: [1, 0])
    #expect(base.content[1].items.map(\.id) == [1, 4, 5])
    try harness.checkObserved()
  }

  @Test(arguments: SeededGenerator.seeds(40))
  func randomEditsAreFollowed(seed: UInt64) throws {
    var edits = RandomEdits(seed: seed)
    for step in 0..<40 {
      if edits.number(in: 0..<3) == 0, folded.numberOfSections > 0 {
        let section = edits.number(in: 0..<folded.numberOfSections)
        try folded.setFolded(try !folded.isFolded(section: section), section: section)
      } else {
        try edits.edit(base)
      }
      #expect(throws: Never.self, "step \(step)") {
        try harness.checkObserved()
        try folded.checkInvariants()
      }
    }
  }

  @Test func itIsNotChangedInWill() throws {
    let log = ObservationLog()
    folded.observer = log
    var errors: [TableDataError?] = []
    log.onWill = {
      errors.append(
        #expect(throws: TableDataError.self) { try folded.setFolded(true, section: 1) })
    }
    // Both when the base changes, and when it changes itself.
    try base.remove(at: [0, 0])
    try folded.setFolded(true, section: 0)
    #expect(errors.map { $0?.code } == [.changeInProgress, .changeInProgress])
    #expect(log.entries.count == 4)
    #expect(try !folded.isFolded(section: 1))
    log.onWill = {}
    try folded.setFolded(true, section: 1)
  }
}
