import Foundation
import TableData
import TableDataTesting
import Testing

struct DataDisplayManagerTests {
  let form = DataDisplayManager()
  let screen: Screen
  let sound = TitleHeaderGenerator(title: "Sound", footerTitle: "of all speakers")
  let light = TitleHeaderGenerator(title: "Light")
  let volume = Field("volume")
  let mute = Field("mute")
  let lamp = Field("lamp")

  init() throws { screen = try Screen(form) }

  /// Two sections: volume and mute, then lamp.
  private func fill() throws {
    try form.addSectionHeaderGenerator(sound)
    try form.addCellGenerators([volume, mute])
    try form.addSectionHeaderGenerator(light)
    try form.addCellGenerator(lamp)
  }

  private var told: [String] { screen.batches.map(\.description) }

  private func expectRefusal(
    _ code: TableDataError.Code, _ message: String,
    sourceLocation: SourceLocation = #_sourceLocation, _ attempt: () throws -> Void
  ) {
    let batches = screen.batches.count
    let content = form.cellGenerators.map(ObjectIdentifier.init)
    let error = #expect(throws: TableDataError.self, sourceLocation: sourceLocation) {
      try attempt()
    }
    #expect(error?.code == code, sourceLocation: sourceLocation)
    #expect(error?.message == message, sourceLocation: sourceLocation)
    #expect(screen.batches.count == batches, sourceLocation: sourceLocation)
    #expect(
      form.cellGenerators.map(ObjectIdentifier.init) == content, sourceLocation: sourceLocation)
  }

  // MARK: Adding

  /// In the original `add(after:)` changed the data, and the view was never told.
  @Test func eachMutationIsOneBatchThatReachesTheTable() throws {
    try fill()
    try form.addCellGenerator(Field("balance"), after: volume)
    try form.addCellGenerators(fields("a", "b"), after: lamp)
    try form.insert(Field("first"), before: volume)
    try form.addCellGenerators(fields("c", "d"), toHeader: sound)
    try form.insert(fields("x"), at: [1, 0])
    try form.remove(mute)
    try form.update(generators: [lamp, volume, lamp])
    #expect(
      told == [
        "+[0]", "+[0,0] +[0,1]", "+[1]", "+[1,0]",
        "+[0,1]", "+[1,1] +[1,2]", "+[0,0]", "+[0,4] +[0,5]", "+[1,0]", "-[0,3]",
        "[0,1]=[0,1] [1,1]=[1,1]",
      ])
    #expect(
      screen.shownFields == ["first", "volume", "balance", "c", "d", "x", "lamp", "a", "b"])
    #expect(screen.errors.isEmpty)
    #expect(try screen.table.numbersOfRows == (0..<2).map { try form.numberOfRows(inSection: $0) })
  }

  @Test func addingNothingIsNotReported() throws {
    try form.addCellGenerators([])
    try form.update(generators: [])
    try form.clearCellGenerators()
    try form.clearHeaderGenerators()
    #expect(told == [])
    #expect(form.numberOfSections == 0)
  }

  @Test func rowsBeforeAnyHeaderMakeASectionOfTheirOwn() throws {
    try form.addCellGenerators([volume, mute])
    #expect(told == ["+[0] +[0,0] +[0,1]"])
    #expect(try form.section(0).header.title == nil)
    try form.remove(volume)
    try form.remove(mute)
    // Nothing would be to be seen of it.
    #expect(told.suffix(2) == ["-[0,0]", "-[0] -[0,0]"])
  }

  @Test func aSectionWithAHeaderStaysWithoutRows() throws {
    try fill()
    try form.remove(lamp)
    #expect(try form.numberOfRows(inSection: 1) == 0)
    try form.addSectionHeaderGenerator(TitleHeaderGenerator(title: "Heat"), after: sound)
    #expect(form.headerGenerators.map { $0?.title } == ["Sound", "Heat", "Light"])
    #expect(told.last == "+[1]")
  }

  /// In the original the same generator could be added twice.
  @Test func theSameGeneratorIsNotAddedTwice() throws {
    try fill()
    let message = "there is already an item with the identity volume"
    expectRefusal(.duplicateIdentity, message) { try form.addCellGenerator(volume) }
    expectRefusal(.duplicateIdentity, message) {
      try form.addCellGenerators([Field("new"), volume])
    }
    expectRefusal(.duplicateIdentity, message) { try form.insert(Field("volume"), before: lamp) }
    expectRefusal(
      .duplicateIdentity, message.replacingOccurrences(of: "volume", with: "twice")
    ) {
      let twice = Field("twice")
      try form.addCellGenerators([twice, twice], after: lamp)
    }
    let error = #expect(throws: TableDataError.self) { try form.addSectionHeaderGenerator(sound) }
    #expect(error?.code == .duplicateIdentity)
  }

  @Test func anAnchorThatIsNotThereIsAnError() throws {
    try fill()
    let stranger = Field("stranger")
    let message = "Field with the id stranger is not in the list"
    for attempt in [
      { try form.addCellGenerator(Field("new"), after: stranger) },
      { try form.insert(Field("new"), before: stranger) },
      { try form.remove(stranger) },
      { try form.update(generators: [volume, stranger]) },
    ] as [() throws -> Void] {
      expectRefusal(.unknownGenerator, message, attempt)
    }
    let header = TitleHeaderGenerator(title: "Heat")
    for attempt in [
      { try form.addCellGenerator(Field("new"), toHeader: header) },
      { try form.addSectionHeaderGenerator(TitleHeaderGenerator(title: "New"), after: header) },
      { try form.removeSection(of: header) },
    ] as [() throws -> Void] {
      let error = #expect(throws: TableDataError.self) { try attempt() }
      #expect(error?.code == .unknownGenerator)
    }
    #expect(told.count == 4)
  }

  @Test func aPlaceThatIsNotThereIsAnError() throws {
    try fill()
    for (path, code) in [
      ([0, 3], .rowOutOfRange), ([2, 0], .sectionOutOfRange), ([0], .malformedIndexPath),
    ] as [(IndexPath, TableDataError.Code)] {
      for attempt in [
        { try form.insert(fields("new"), at: path) }, { _ = try form.row(at: path).viewModel },
        { try form.row(at: path).select() }, { _ = try form.row(at: path).identity },
      ] as [() throws -> Void] {
        let error = #expect(throws: TableDataError.self) { try attempt() }
        #expect(error?.code == code)
      }
    }
    #expect(throws: TableDataError.self) { try form.section(2).footer.title }
    #expect(throws: TableDataError.self) { try form.numberOfRows(inSection: -1) }
  }

  // MARK: Clearing

  @Test func clearingTheCellsKeepsTheHeaders() throws {
    try form.addCellGenerator(Field("before"))
    try fill()
    try form.clearCellGenerators()
    #expect(told.last == "-[0] -[2,0] -[1,1] -[1,0] -[0,0]")
    #expect(form.headerGenerators.map { $0?.title } == ["Sound", "Light"])
    #expect(screen.table.numbersOfRows == [0, 0])
    // What is not there any more can be added again.
    try form.addCellGenerator(volume)
    #expect(screen.shownFields == ["volume"])
    #expect(screen.errors.isEmpty)
  }

  @Test func clearingTheHeadersKeepsTheCells() throws {
    try fill()
    try form.clearHeaderGenerators()
    #expect(form.headerGenerators.map { $0?.title } == [nil])
    #expect(screen.shownFields == ["volume", "mute", "lamp"])
    #expect(screen.batches.count == 5)
    try form.clearHeaderGenerators()
    #expect(screen.batches.count == 5)
    #expect(screen.errors.isEmpty)
  }

  @Test func aSectionIsDeletedWithItsHeader() throws {
    try fill()
    try form.removeSection(of: sound)
    #expect(told.last == "-[0] -[0,1] -[0,0]")
    #expect(screen.shownFields == ["lamp"])
  }

  @Test func refillingReadsEverythingAnew() throws {
    try fill()
    volume.text = "!"
    try form.forceRefill()
    #expect(told.last == "reset 2>2")
    #expect(screen.shownFields == ["volume!", "mute", "lamp"])
  }

  // MARK: Observation

  @Test(arguments: SeededGenerator.seeds(20))
  func randomEditsAreFollowed(seed: UInt64) throws {
    var edits = RandomEdits(seed: seed)
    let form = DataDisplayManager()
    let harness = try ProviderHarness(DataSourceProvider(form), height: 6)
    // Generators that are named look the same from outside.
    harness.requiresMinimalChanges = false
    harness.observe()
    for step in 0..<40 {
      try edits.edit(form)
      do {
        try harness.checkObserved()
        try form.checkInvariants()
      } catch {
        Issue.record("step \(step): \(error)")
        return
      }
    }
    #expect(harness.batches.count > 20)
  }

  @Test func theListIsNotChangedInWill() throws {
    let log = ObservationLog()
    form.observer = log
    var error: (any Error)?
    log.onWill = {
      do { try form.addCellGenerator(lamp) } catch let refusal { error = refusal }
    }
    try form.addCellGenerator(volume)
    #expect((error as? TableDataError)?.code == .changeInProgress)
    #expect(form.cellGenerators.count == 1)
  }

  private final class Refreshable: TableCellGenerator {
    weak var displayManager: DataDisplayManager?
  }

  /// Adds a generator that was removed again, when it is told.
  private final class Restorer: TableChangesObserver {
    let form: DataDisplayManager
    let generator: Refreshable
    var isDone = false
    init(_ form: DataDisplayManager, _ generator: Refreshable) {
      (self.form, self.generator) = (form, generator)
    }
    func contentWillChange(of sender: any TableChangesSender) {}
    func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
      guard !isDone else { return }
      isDone = true
      #expect(throws: Never.self) { try form.addCellGenerator(generator) }
    }
    func content(of sender: any TableChangesSender, didFailWith error: any Error) {}
  }

  @Test(arguments: [false, true])
  func aGeneratorMayBeAddedAgainWhenItsRemovalIsReported(all: Bool) throws {
    let form = DataDisplayManager()
    let generator = Refreshable()
    let restorer = Restorer(form, generator)
    try form.addCellGenerators([generator, mute])
    form.observer = restorer
    _ = try all ? form.clearCellGenerators() : form.remove(generator)
    #expect(restorer.isDone)
    #expect(form.cellGenerators.contains { $0 === generator })
    #expect(generator.displayManager === form)
    try generator.refresh()
    try form.checkInvariants()
  }

  @Test func aHeaderIsInOneListOnly() throws {
    final class Header: TableHeaderGenerator {
      weak var displayManager: DataDisplayManager?
      var title: String? { "Header" }
    }
    let header = Header()
    try form.addSectionHeaderGenerator(header)
    let other = DataDisplayManager()
    #expect(throws: TableDataError.self) { try other.addSectionHeaderGenerator(header) }
    #expect(header.displayManager === form)
    try form.removeSection(of: header)
    try other.addSectionHeaderGenerator(header)
    try form.clearCellGenerators()
    #expect(header.displayManager === other)
  }

  @Test func aHeaderThatIsRefusedIsNotInTheList() throws {
    final class Header: TableHeaderGenerator {
      weak var displayManager: DataDisplayManager?
      var title: String? { "Header" }
    }
    let header = Header()
    let log = ObservationLog()
    form.observer = log
    log.onWill = {
      let error = #expect(throws: TableDataError.self) {
        try form.addSectionHeaderGenerator(header)
      }
      #expect(error?.code == .changeInProgress)
    }
    try form.addCellGenerator(volume)
    #expect(header.displayManager == nil)
    log.onWill = { #expect(header.displayManager === form) }
    try form.addSectionHeaderGenerator(header)
    #expect(form.headerGenerators.last.map { $0 === header } == true)
  }
}
