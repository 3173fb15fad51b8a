import Foundation
import TableData
import TableDataTesting
import TestLists
import Testing

struct ProviderHarnessTests {
  typealias Row = ListProvider.Row

  let provider = ListProvider(["A": [1, 2, 3], "B": [4, 5]])
  let harness: ProviderHarness<ListProvider, Int>

  init() throws {
    harness = try ProviderHarness(provider)
  }

  private func expectViolation(
    _ code: ProviderViolation.Code, _ message: String? = nil, following changes: TableChanges,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let violation = #expect(throws: ProviderViolation.self, sourceLocation: sourceLocation) {
      try harness.follow(changes)
    }
    #expect(violation?.code == code, sourceLocation: sourceLocation)
    if let message { #expect(violation?.message == message, sourceLocation: sourceLocation) }
  }

  // MARK: What is right

  @Test func aListThatReportsAllItsChangesIsFollowed() throws {
    provider.content[0].items.remove(at: 1)
    try harness.follow(TableChanges(deletedRows: [[0, 1]]))
    provider.content[1].items[0].content = 1
    try harness.follow(TableChanges(updatedRows: [.init(old: [1, 0], new: [1, 0])]))
    #expect(harness.table.numbersOfRows == [2, 2])
    try harness.checkNothingChanged()
  }

  @Test func aResetIsFollowed() throws {
    provider.content = ListProvider.sections(["X": [7], "Y": [], "Z": [9, 8]])
    try harness.follow(.reset(oldSectionCount: 2, newSectionCount: 3))
    try harness.checkNothingChanged()
  }

  @Test func theSelectionFollowsTheIdentity() throws {
    try harness.table.selectRow(at: [0, 2])
    provider.content = ListProvider.sections(["A": [1, 2], "B": [4, 5], "C": [3]])
    try harness.follow(
      TableChanges(insertedSections: [2], deletedRows: [[0, 2]], insertedRows: [[2, 0]]))
    #expect(harness.table.indexPathForSelectedRow == [2, 0])
  }

  @Test(arguments: SeededGenerator.seeds(20))
  func randomListsAreFollowed(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var list = RandomList(
      rowCount: .random(in: 0...30, using: &generator),
      rankCount: .random(in: 1...10, using: &generator), using: &generator)
    let provider = ListProvider(list.sections)
    let harness = try ProviderHarness(provider, height: 6)
    harness.table.allowsMultipleSelection = true
    for round in 0..<25 {
      try harness.table.setContentOffset(.random(in: 0..<40, using: &generator))
      let old = list
      let edits = list.commit(using: &generator)
      provider.content = list.sections
      let changes = old.changes(to: list)
      do {
        if changes.isEmpty {
          try harness.checkNothingChanged()
        } else {
          try harness.follow(changes)
        }
      } catch {
        Issue.record("round \(round), after \(edits): \(error)")
        return
      }
    }
  }

  // MARK: What is wrong

  @Test func changesThatAreNotLegalAreRefused() {
    provider.content[0].items.remove(at: 1)
    let error = #expect(throws: TableUpdateError.self) {
      try harness.follow(TableChanges(insertedRows: [[0, 0]]))
    }
    #expect(error?.code == .rowCount)
  }

  @Test func aProviderThatBreaksItsPromisesLaterIsFound() {
    provider.content[0].items[0] = provider.content[1].items[0]
    expectViolation(
      .duplicateIdentity,
      following: TableChanges(updatedRows: [.init(old: [0, 0], new: [0, 0])]))
  }

  @Test func changesWithoutAnEventAreFound() {
    expectViolation(
      .emptyChanges, "changes without an event were reported", following: TableChanges())
  }

  @Test func aRowThatChangesSilentlyIsFound() throws {
    provider.content[0].items[0].content = 7
    let violation = #expect(throws: ProviderViolation.self) { try harness.checkNothingChanged() }
    #expect(violation?.code == .silentChange)
    #expect(violation?.message.hasPrefix("the row [0,0] was Row(id: 1") == true)
    // And among other changes.
    provider.content[1].items.remove(at: 0)
    expectViolation(.silentChange, following: TableChanges(deletedRows: [[1, 0]]))
  }

  @Test func rowsInsertedSilentlyAreFound() {
    provider.content[0].items.append(Row(id: 9, section: "A", rank: 0, content: 0))
    let violation = #expect(throws: ProviderViolation.self) { try harness.checkNothingChanged() }
    #expect(violation?.code == .silentChange)
    #expect(violation?.message.hasPrefix("the sections were ") == true)
  }

  @Test func rowsThatSwapSilentlyAreFound() {
    provider.content[0].items.swapAt(0, 1)
    let violation = #expect(throws: ProviderViolation.self) { try harness.checkNothingChanged() }
    #expect(violation?.code == .silentChange)
  }

  @Test func anUpdateOfAnotherRowIsFound() {
    provider.content[0].items.swapAt(0, 1)
    expectViolation(
      .wrongIdentity, "the update from [0,0] to [0,0] makes 2 of 1",
      following: TableChanges(
        updatedRows: [.init(old: [0, 0], new: [0, 0]), .init(old: [0, 1], new: [0, 1])]))
  }

  @Test func aMoveOfAnotherRowIsFound() {
    provider.content = ListProvider.sections(["A": [1, 2], "B": [4, 5, 3]])
    expectViolation(
      .wrongIdentity, "the move from [0,1] to [1,2] makes 3 of 2",
      following: TableChanges(movedRows: [.init(from: [0, 1], to: [1, 2])]))
  }

  @Test func aMoveReportedAsDeleteAndInsertIsFound() {
    provider.content = ListProvider.sections(["A": [1, 2], "B": [4, 3, 5]])
    expectViolation(
      .severalEvents, "the row 3 is deleted at [0,2] and inserted at [1,1] instead of moved",
      following: TableChanges(deletedRows: [[0, 2]], insertedRows: [[1, 1]]))
  }

  @Test func aDeleteOfAnotherRowIsFound() {
    provider.content = ListProvider.sections(["A": [1, 3], "B": [4, 5]])
    expectViolation(
      .wrongResult,
      "the batch makes [[1, 2], [4, 5]] of [[1, 2, 3], [4, 5]], and not [[1, 3], [4, 5]]: -[0,2]",
      following: TableChanges(deletedRows: [[0, 2]]))
  }

  @Test func aSectionThatIsAnotherOneIsFoundUnlessItMayBe() throws {
    provider.content[1].name = "C"
    provider.content[0].items.remove(at: 0)
    let changes = TableChanges(
      updatedSections: [.init(old: 1, new: 1)], deletedRows: [[0, 0]])
    expectViolation(
      .sectionName, "section 1 was B and is, as section 1, C, without an event",
      following: changes)
    harness.requiresSameSectionNames = false
    try harness.follow(changes)
  }

  // MARK: Headers

  /// A list of sections that keep their identities.
  private func namedSections() throws -> ProviderHarness<ListProvider, Int> {
    try ProviderHarness(provider, sectionID: { provider, section in section })
  }

  @Test func aRenamedSectionThatIsUpdatedIsFollowed() throws {
    let harness = try namedSections()
    provider.content[1].name = "C"
    try harness.follow(TableChanges(updatedSections: [.init(old: 1, new: 1)]))
    try harness.checkNothingChanged()
  }

  @Test func aRenamedSectionThatIsNotUpdatedIsFound() throws {
    let harness = try namedSections()
    provider.content[1].name = "C"
    provider.content[0].items.remove(at: 0)
    let violation = #expect(throws: ProviderViolation.self) {
      try harness.follow(TableChanges(deletedRows: [[0, 0]]))
    }
    #expect(violation?.code == .staleHeader)
    #expect(
      violation?.message
        == "the table shows the titles \"B\" and nil of section 1, which has \"C\" and nil")
  }

  @Test func anotherFooterThatIsNotReportedIsFound() throws {
    let harness = try namedSections()
    provider.content[0].footer = "3 rows"
    provider.content[0].items[0].content = 7
    let violation = #expect(throws: ProviderViolation.self) {
      try harness.follow(TableChanges(updatedRows: [.init(old: [0, 0], new: [0, 0])]))
    }
    #expect(violation?.code == .staleHeader)
  }

  @Test func aTitleThatChangesWithoutABatchIsFound() throws {
    let harness = try namedSections()
    provider.content[0].footer = "3 rows"
    let violation = #expect(throws: ProviderViolation.self) { try harness.checkNothingChanged() }
    #expect(violation?.code == .silentChange)
  }

  @Test func anUpdateOfADeletedSectionIsFound() throws {
    provider.content.remove(at: 1)
    let error = #expect(throws: TableUpdateError.self) {
      try harness.follow(
        TableChanges(deletedSections: [1], updatedSections: [.init(old: 1, new: 1)]))
    }
    #expect(error?.code == .conflict)
  }

  // MARK: Resets

  @Test func aProviderThatAlwaysReportsAResetIsFound() {
    let reset = TableChanges.reset(oldSectionCount: 2, newSectionCount: 2)
    let full = provider.content
    provider.content[0].items.append(Row(id: 9, section: "A", rank: 0, content: 0))
    expectViolation(.notMinimal, following: reset)
    provider.content[0].name = "C"
    expectViolation(.notMinimal, following: reset)
    provider.content = full
    expectViolation(.notMinimal, following: reset)
  }

  @Test func sectionsOfOneNameAreDistinguishedByTheChanges() throws {
    // NULL and the empty string: two sections of one name.
    provider.content[0].name = ""
    provider.content[1].name = ""
    provider.content[0].indexTitle = nil
    provider.content[1].indexTitle = nil
    harness.requiresMinimalChanges = false
    try harness.follow(.reset(oldSectionCount: 2, newSectionCount: 2))
    harness.requiresMinimalChanges = true
    provider.content.remove(at: 0)
    try harness.follow(
      TableChanges(deletedSections: [0], deletedRows: [[0, 2], [0, 1], [0, 0]]))
  }

  /// The library's NULL and empty string: two sections of one name, but not one section.
  @Test func sectionsOfOneNameCanHaveAnIdentityOfTheirOwn() throws {
    let provider = ListProvider(["": [1]])
    var keys: [String?] = [nil]
    let harness = try ProviderHarness(provider) { _, section in keys[section] }
    keys = [""]
    provider.content[0].items.remove(at: 0)
    let violation = #expect(throws: ProviderViolation.self) {
      try harness.follow(TableChanges(deletedRows: [[0, 0]]))
    }
    #expect(violation?.code == .sectionName)
    try harness.follow(
      TableChanges(deletedSections: [0], insertedSections: [0], deletedRows: [[0, 0]]))
  }

  @Test func aCellThatShowsAnOldRowIsFound() {
    // Another content each time it is asked for.
    var questions = 0
    provider.rowAnswer = { provider, path in
      var row = provider.content[path.section].items[path.row]
      guard path == [0, 0] else { return row }
      questions += 1
      row.content = questions
      return row
    }
    expectViolation(
      .staleCell, following: TableChanges(updatedRows: [.init(old: [0, 0], new: [0, 0])]))
  }

  // MARK: More than it takes

  @Test func aResetWhereARowStaysIsFound() throws {
    provider.content[0].items.remove(at: 0)
    let changes = TableChanges.reset(oldSectionCount: 2, newSectionCount: 2)
    expectViolation(
      .notMinimal,
      "a reset was reported, but the row 2 is in the old list and in the new one",
      following: changes)
    harness.requiresMinimalChanges = false
    try harness.follow(changes)
  }

  @Test func aResetWhereNothingChangedIsFound() throws {
    let provider = ListProvider(["": []])
    let harness = try ProviderHarness(provider)
    let violation = #expect(throws: ProviderViolation.self) {
      try harness.follow(.reset(oldSectionCount: 1, newSectionCount: 1))
    }
    #expect(violation?.code == .notMinimal)
  }

  @Test func anUpdateOfAnUnchangedRowIsFound() throws {
    provider.content[0].items.remove(at: 0)
    let changes = TableChanges(
      deletedRows: [[0, 0]], updatedRows: [.init(old: [0, 1], new: [0, 0])])
    expectViolation(
      .notMinimal,
      "there are 2 row events, and 1 would be enough: -[0,0] [0,1]=[0,0]", following: changes)
    harness.requiresMinimalChanges = false
    try harness.follow(changes)
  }

  @Test func aMoveWhereAnUpdateDoesIsFound() {
    provider.content[0].items[0].content = 1
    expectViolation(
      .notMinimal,
      "there are 1 moves, and 0 would be enough: [0,0]>[0,0]",
      following: TableChanges(movedRows: [.init(from: [0, 0], to: [0, 0])]))
  }

  @Test func movingTheWrongOneOfTwoIsFound() {
    // Only row 1 changed: row 2 and 3 have no event.
    provider.content[0].items = [2, 3, 1].map {
      Row(id: $0, section: "A", rank: $0 == 1 ? 5 : 0, content: 0)
    }
    expectViolation(
      .notMinimal,
      following: TableChanges(
        movedRows: [.init(from: [0, 1], to: [0, 0]), .init(from: [0, 2], to: [0, 1])],
        updatedRows: [.init(old: [0, 0], new: [0, 2])]))
  }

  @Test func aSectionThatIsReplacedWithoutNeedIsFound() {
    provider.content[1].items[0].content = 1
    expectViolation(
      .notMinimal,
      "there are 2 section events, and 0 would be enough: -[1] +[1]",
      following: TableChanges(deletedSections: [1], insertedSections: [1]))
  }
}
