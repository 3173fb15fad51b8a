import Foundation
import TableData
import TableDataTesting
import TestLists
import Testing

/// The display events that a harness sends, and what a provider can get wrong about them, each of it found.
struct DisplayEventsTests {
  typealias Row = ListProvider.Row

  private let provider = ListProvider(["A": Array(0..<10), "B": Array(10..<20)])

  private func harness(height: Int = 4) throws -> ProviderHarness<ListProvider, Int> {
    let harness = try ProviderHarness(provider, height: height)
    harness.observe()
    return harness
  }

  private func expectViolation(
    _ code: ProviderViolation.Code, _ message: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation, in check: () throws -> Void
  ) {
    let violation = #expect(
      throws: ProviderViolation.self, sourceLocation: sourceLocation, performing: check)
    #expect(violation?.code == code, sourceLocation: sourceLocation)
    if let message { #expect(violation?.message == message, sourceLocation: sourceLocation) }
  }

  // MARK: What is right

  @Test func theRowsOfTheWindowAreDisplayed() throws {
    var events: [String] = []
    provider.onDisplay = { events.append("+\(try $0.itemForRow(at: $1).id)") }
    provider.onEndDisplay = { events.append("-\($1)") }
    do {
      let harness = try harness(height: 2)
      #expect(events == ["+0", "+1"])
      try harness.table.setContentOffset(1)
      provider.change(TableChanges(deletedRows: [[0, 2]])) { $0[0].items.remove(at: 2) }
      try harness.checkObserved()
      #expect(events.dropFirst(2) == ["-0", "+2", "-2", "+3"])
    }
    #expect(Set(events.suffix(2)) == ["-1", "-3"])
  }

  @Test func thereAreNoEventsBeforeObservingOrIfAScreenSendsThem() throws {
    provider.onDisplay = { _, path in Issue.record("\(path)") }
    let harness = try ProviderHarness(provider)
    let source = try TableViewDataSource(dataProvider: provider)
    harness.observe()
    try harness.checkObserved()
    #expect(provider.observer != nil)
    withExtendedLifetime(source) {}
  }

  @Test func theLastRowIsReportedToADataSource() throws {
    var count = 0
    let source = try TableViewDataSource(dataProvider: provider)
    source.onLastRow = { count += 1 }
    let harness = try ProviderHarness(DataSourceProvider(source), height: 4)
    harness.observe()
    #expect(count == 0)
    try harness.table.setContentOffset(100)
    #expect(count == 1)
  }

  @Test func aListThatGrowsWhileItsLastRowIsDisplayedIsFollowed() throws {
    provider.onDisplay = { provider, path in
      let count = provider.content[1].items.count
      guard path == [1, count - 1], count < 30 else { return }
      provider.change(TableChanges(insertedRows: [[1, count]])) {
        $0[1].items.append(Row(id: 100 + count, section: "B", rank: 0, content: 0))
      }
    }
    let harness = try harness()
    try harness.table.setContentOffset(100)
    try harness.checkObserved()
    #expect(harness.batches.map(\.description) == ["+[1,10]"])
    for _ in 0..<30 { try harness.table.setContentOffset(100) }
    try harness.checkObserved()
    #expect(harness.table.numbersOfRows == [10, 30])
  }

  @Test func aListThatChangesWhenARowEndsToBeDisplayedIsFollowed() throws {
    provider.onEndDisplay = { provider, identity in
      guard identity == AnyHashable(0) else { return }
      provider.change(TableChanges(deletedRows: [[0, 0]])) { $0[0].items.removeFirst() }
    }
    let harness = try harness()
    try harness.table.setContentOffset(5)
    try harness.checkObserved()
    #expect(harness.batches.count == 1)
  }

  // MARK: Changes that are wrong

  @Test func aRowDeletedSilentlyWhileItIsDisplayedIsFound() throws {
    provider.onDisplay = { provider, path in
      if path == [0, 1] { provider.content[0].items.remove(at: 5) }
    }
    let harness = try harness()
    let violation = #expect(throws: ProviderViolation.self) { try harness.checkObserved() }
    #expect(violation?.code == .silentChange)
    #expect(
      violation?.message.hasPrefix(
        "`willDisplayRow(at: [0,1])` has changed the sections ") == true)
  }

  @Test func aRowThatChangesSilentlyWhileItIsDisplayedIsFound() throws {
    provider.onDisplay = { provider, path in
      if path == [0, 1] { provider.content[0].items[1].content = 7 }
    }
    let harness = try harness()
    let violation = #expect(throws: ProviderViolation.self) { try harness.checkObserved() }
    #expect(violation?.code == .silentChange)
    #expect(
      violation?.message.hasPrefix(
        "`willDisplayRow(at: [0,1])` has changed the row Row(id: 1") == true)
  }

  @Test func anotherRowThatChangesSilentlyWhileOneIsDisplayedIsFound() throws {
    provider.onDisplay = { provider, _ in provider.content[1].items[9].content = 7 }
    let harness = try harness()
    expectViolation(.silentChange) { try harness.checkObserved() }
  }

  @Test func aRowDeletedSilentlyWhenOneEndsToBeDisplayedIsFound() throws {
    provider.onEndDisplay = { provider, identity in
      if identity == AnyHashable(2) { provider.content[1].items.removeLast() }
    }
    let harness = try harness()
    try harness.table.setContentOffset(4)
    let violation = #expect(throws: ProviderViolation.self) { try harness.checkObserved() }
    #expect(violation?.code == .silentChange)
    #expect(
      violation?.message.hasPrefix(
        "`didEndDisplayingRow(withIdentity: 2)` has changed the sections ") == true)
  }

  @Test func aWrongBatchFromADisplayEventIsFound() throws {
    provider.onDisplay = { provider, path in
      guard path == [0, 1], provider.content[0].items.count == 10 else { return }
      provider.change(TableChanges(deletedRows: [[0, 0]])) { $0[0].items.remove(at: 5) }
    }
    let harness = try harness()
    expectViolation(.wrongResult) { try harness.checkObserved() }
  }

  @Test func aDisplayEventThatOnlyBeginsAChangeIsFound() throws {
    provider.onDisplay = { provider, path in
      if path == [0, 1] { provider.observer?.contentWillChange(of: provider) }
    }
    let harness = try harness()
    expectViolation(
      .unpaired,
      "`willDisplayRow(at: [0,1])` has called contentWillChange, and not contentDidChange"
    ) { try harness.checkObserved() }
  }

  /// A row that is updated keeps its cell, and is not displayed again.
  @Test func aRowThatIsUpdatedWhenItIsDisplayedStaysDisplayed() throws {
    var updates = 0
    provider.onDisplay = { provider, path in
      updates += 1
      provider.change(TableChanges(updatedRows: [.init(old: path, new: path)])) {
        $0[path.section].items[path.row].content += 1
      }
    }
    let harness = try harness()
    try harness.checkObserved()
    #expect(updates == harness.table.visibleCells.count)
  }

  @Test func aRowThatIsReplacedWheneverItIsDisplayedIsFound() throws {
    var id = 1_000
    provider.onDisplay = { provider, path in
      provider.change(TableChanges(deletedRows: [path], insertedRows: [path])) {
        id += 1
        let old = $0[path.section].items[path.row]
        $0[path.section].items[path.row] = .init(
          id: id, section: old.section, rank: old.rank, content: old.content)
      }
    }
    let harness = try harness()
    expectViolation(
      .endlessChanges, "the content has changed 101 times while the table displayed its rows"
    ) { try harness.checkObserved() }
  }

  // MARK: Events that are forwarded wrongly

  /// A list of two parts, which forwards display events as `change` makes it do, scrolled to where both
  /// parts are displayed.
  private func joined(
    _ change: (JoinedList) -> Void
  ) throws -> (harness: ProviderHarness<JoinedList, Int>, list: JoinedList) {
    let list = try JoinedList(
      provider, ListProvider(["C": Array(20..<30), "D": Array(30..<40)]))
    change(list)
    let harness = try ProviderHarness(list, height: 4)
    harness.observe()
    // A wrong index path may be one that does not exist.
    for offset in [1, 18] { try? harness.table.setContentOffset(offset) }
    return (harness, list)
  }

  @Test func eachPartIsNotifiedOfItsRows() throws {
    let (harness, list) = try joined { _ in }
    #expect(list.first.displayed == [18, 19])
    #expect(list.second.displayed == [20, 21])
    try harness.table.setContentOffset(30)
    #expect(list.first.displayed.isEmpty)
    provider.change(TableChanges(deletedSections: [0])) { $0.remove(at: 0) }
    try harness.table.setContentOffset(0)
    try harness.checkObserved()
    try harness.checkDisplayed(by: list.first)
    try harness.checkDisplayed(by: list.second)
    #expect(list.first.displayed == [10, 11, 12, 13])
  }

  @Test func withoutEventsNothingCanBeChecked() throws {
    let list = try DisplayRecorder(provider)
    let harness = try ProviderHarness(list)
    expectViolation(
      .notObserved,
      "the harness sends no display events, because it is not the only observer"
    ) { try harness.checkDisplayed(by: list) }
  }

  @Test func eventsThatAreNotForwardedAreFound() throws {
    let (harness, list) = try joined { $0.display = { _, _ in } }
    expectViolation(
      .displayEvent,
      "the row [2,0] is displayed, and `willDisplayRow(at: [0,0])` of its provider was not "
        + "called"
    ) { try harness.checkDisplayed(by: list.second) }
  }

  @Test func eventsThatAlwaysReachTheFirstPartAreFound() throws {
    let (harness, list) = try joined {
      $0.display = { list, path in
        try list.first.willDisplayRow(at: list.part(at: path).1)
      }
    }
    expectViolation(.displayEvent) { try harness.checkDisplayed(by: list.first) }
    expectViolation(.displayEvent) { try harness.checkDisplayed(by: list.second) }
  }

  @Test func eventsWithTheIndexPathOfTheWholeListAreFound() throws {
    let (harness, list) = try joined {
      $0.display = { list, path in
        try list.part(at: path).0.willDisplayRow(at: path)
      }
    }
    expectViolation(
      .displayEvent,
      "`willDisplayRow(at: [2,0])` was called, and there is no such row"
    ) { try harness.checkDisplayed(by: list.second) }
  }

  @Test func eventsOfTheNextRowAreFound() throws {
    let (harness, list) = try joined {
      $0.display = { list, path in
        let (part, path) = list.part(at: path)
        try part.willDisplayRow(at: [path.section, (path.row + 1) % 10])
      }
    }
    expectViolation(.displayEvent) { try harness.checkDisplayed(by: list.second) }
  }

  @Test func eventsThatAreForwardedTwiceAreFound() throws {
    let (harness, list) = try joined {
      let display = $0.display
      $0.display = { list, path in
        try display(list, path)
        try display(list, path)
      }
    }
    expectViolation(
      .displayEvent,
      "`willDisplayRow(at: [0,0])` was called for the row 20, which is already displayed"
    ) { try harness.checkDisplayed(by: list.second) }
  }

  @Test func theEndOfTheDisplayThatIsNotForwardedIsFound() throws {
    let (harness, list) = try joined { $0.endDisplay = { _, _ in } }
    expectViolation(
      .displayEvent,
      "the row 0 is not displayed: `willDisplayRow(at:)` was called for it by mistake, or "
        + "`didEndDisplayingRow(withIdentity: 0)` was not called"
    ) { try harness.checkDisplayed(by: list.first) }
  }

  @Test func theEndOfTheDisplayThatReachesTheWrongPartIsFound() throws {
    let (harness, list) = try joined {
      $0.endDisplay = { list, identity in list.second.didEndDisplayingRow(withIdentity: identity) }
    }
    expectViolation(.displayEvent) { try harness.checkDisplayed(by: list.first) }
    #expect(throws: ProviderViolation.self) { try harness.checkDisplayed(by: list.second) }
  }

  @Test func theEndOfTheDisplayWithAnotherIdentityIsFound() throws {
    let (harness, list) = try joined {
      $0.endDisplay = { list, identity in
        try list.part(of: identity).didEndDisplayingRow(withIdentity: "\(identity)")
      }
    }
    expectViolation(.displayEvent) { try harness.checkDisplayed(by: list.first) }
  }
}
