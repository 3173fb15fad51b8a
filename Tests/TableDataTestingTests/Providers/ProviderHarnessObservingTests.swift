import Foundation
import TableData
import TableDataTesting
import TestLists
import Testing

/// What a provider can get wrong when it tells its changes, each of it found.
struct ProviderHarnessObservingTests {
  typealias Row = ListProvider.Row

  let provider = ListProvider(["A": [1, 2, 3], "B": [4, 5]])
  let harness: ProviderHarness<ListProvider, Int>

  init() throws {
    harness = try ProviderHarness(provider)
    harness.observe()
  }

  private func will() { provider.observer?.contentWillChange(of: provider) }

  private func did(_ changes: TableChanges) {
    provider.observer?.contentDidChange(of: provider, by: changes)
  }

  private func expectViolation(
    _ code: ProviderViolation.Code, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let violation = #expect(throws: ProviderViolation.self, sourceLocation: sourceLocation) {
      try harness.checkObserved()
    }
    #expect(violation?.code == code, sourceLocation: sourceLocation)
  }

  @Test func theEarlierObserverIsNotifiedAndRestored() throws {
    let provider = ListProvider(["A": [1, 2]])
    let other = try ProviderHarness(provider)
    other.observe()
    do {
      let harness = try ProviderHarness(provider)
      harness.observe()
      harness.observe()
      provider.observer?.contentWillChange(of: provider)
      provider.content[0].items.remove(at: 1)
      provider.observer?.contentDidChange(of: provider, by: TableChanges(deletedRows: [[0, 1]]))
      try harness.checkObserved()
      #expect(harness.batches.count == 1)
    }
    provider.observer?.contentWillChange(of: provider)
    provider.content[0].items.remove(at: 0)
    provider.observer?.contentDidChange(of: provider, by: TableChanges(deletedRows: [[0, 0]]))
    try other.checkObserved()
    #expect(other.batches.count == 2)
  }

  @Test func aProviderThatReportsAllItsChangesIsRight() throws {
    try harness.checkObserved()
    will()
    provider.content[0].items.remove(at: 1)
    did(TableChanges(deletedRows: [[0, 1]]))
    will()
    provider.content[0].items.swapAt(0, 1)
    did(TableChanges(movedRows: [.init(from: [0, 0], to: [0, 1])]))
    try harness.checkObserved()
    #expect(harness.batches.map(\.description) == ["-[0,1]", "[0,0]>[0,1]"])
  }

  @Test func aWrongCountIsFound() {
    will()
    provider.content[0].items.remove(at: 1)
    did(TableChanges(deletedRows: [[0, 1], [0, 0]]))
    #expect(throws: TableUpdateError.self) { try harness.checkObserved() }
  }

  @Test func aNegativeCountIsFound() {
    provider.sectionsAnswer = { provider in
      provider.content.map { section in
        let count = section.items.count
        return SectionInfo(name: section.name, numberOfRows: count % 2 == 1 ? -1 : count)
      }
    }
    will()
    provider.content[1].items.remove(at: 1)
    did(TableChanges(deletedRows: [[1, 1]]))
    expectViolation(.counts)
  }

  @Test func aMissingEventIsFound() {
    will()
    provider.content[0].items.remove(at: 1)
    provider.content[1].items[0].content = 7
    did(TableChanges(deletedRows: [[0, 1]]))
    expectViolation(.silentChange)
  }

  @Test func aMissingBatchIsFound() {
    provider.content[0].items.remove(at: 1)
    expectViolation(.silentChange)
  }

  @Test func anEventReportedTwiceIsFound() {
    will()
    provider.content[0].items.remove(at: 1)
    did(TableChanges(deletedRows: [[0, 1]]))
    will()
    did(TableChanges(deletedRows: [[0, 1]]))
    #expect(throws: TableUpdateError.self) { try harness.checkObserved() }
  }

  @Test func aMoveToTheWrongPlaceIsFound() {
    will()
    provider.content[0].items.insert(provider.content[0].items.remove(at: 0), at: 2)
    did(TableChanges(movedRows: [.init(from: [0, 0], to: [0, 1])]))
    expectViolation(.wrongIdentity)
  }

  @Test func theOldContentInDidIsFound() {
    will()
    did(TableChanges(updatedRows: [.init(old: [0, 0], new: [0, 0])]))
    expectViolation(.notMinimal)
  }

  @Test func theOldCountsInDidAreFound() {
    will()
    did(TableChanges(deletedRows: [[0, 0]]))
    #expect(throws: TableUpdateError.self) { try harness.checkObserved() }
  }

  @Test func theNewContentInWillIsFound() {
    provider.content[0].items.remove(at: 1)
    will()
    did(TableChanges(deletedRows: [[0, 1]]))
    expectViolation(.changedEarly)
  }

  @Test func aDidWithoutAWillIsFound() {
    provider.content[0].items.remove(at: 1)
    did(TableChanges(deletedRows: [[0, 1]]))
    expectViolation(.unpaired)
  }

  @Test func aWillWithoutADidIsFound() {
    will()
    expectViolation(.unpaired)
  }

  @Test func aSecondWillIsFound() {
    will()
    will()
    did(TableChanges())
    expectViolation(.unpaired)
  }

  @Test func changesWithoutAnEventAreFoundUnlessTheyAreAllowed() throws {
    harness.allowsEmptyChanges = true
    will()
    did(TableChanges())
    try harness.checkObserved()
    harness.allowsEmptyChanges = false
    will()
    did(TableChanges())
    expectViolation(.emptyChanges)
  }

  @Test func aChangeReportedAsNoneIsFound() {
    harness.allowsEmptyChanges = true
    will()
    provider.content[0].items.remove(at: 1)
    did(TableChanges())
    expectViolation(.silentChange)
  }

  @Test func aRowThatIsDeletedAndInsertedIsFoundUnlessThatIsAllowed() throws {
    harness.requiresMinimalChanges = false
    harness.allowsReinsertedRows = true
    func swap() {
      will()
      provider.content[0].items.swapAt(0, 1)
      did(TableChanges(deletedRows: [[0, 0]], insertedRows: [[0, 1]]))
    }
    swap()
    try harness.checkObserved()
    harness.allowsReinsertedRows = false
    swap()
    expectViolation(.severalEvents)
  }

  @Test func failuresAreKept() throws {
    struct Failure: Error {}
    provider.observer?.content(of: provider, didFailWith: Failure())
    #expect(harness.failures.count == 1)
    try harness.checkObserved()
  }
}
