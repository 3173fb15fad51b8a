import Foundation
import TableData
import TableDataTesting
import Testing

struct SelectionTests {
  private final class Log: SelectionObserver {
    private(set) var told: [AnyHashable?] = []
    var onChange: (Selection) -> Void = { _ in }

    func selectionDidChange(_ selection: Selection) {
      told.append(selection.identity)
      onChange(selection)
    }
  }

  let selection = Selection()
  private let log = Log()

  init() { selection.addObserver(log) }

  @Test func nothingIsSelectedAtFirst() {
    #expect(selection.identity == nil)
    #expect(Selection(7).identity(as: Int.self) == 7)
    // The id of a record with a generated key is optional.
    #expect(selection.identity(as: Int?.self).map { _ in true } == nil)
    #expect(Selection(7).identity(as: Int?.self) == 7)
    #expect(TableRoute(to: "detail").identity(as: Int?.self).map { _ in true } == nil)
  }

  @Test func allObserversAreNotifiedOnce() {
    let other = Log()
    selection.addObserver(other)
    selection.addObserver(other)
    selection.select(1)
    selection.select(1)
    selection.select(nil)
    selection.select(nil)
    #expect(log.told == [1, nil])
    #expect(other.told == [1, nil])
  }

  @Test func anIdentityOfAnotherTypeIsNotTaken() {
    selection.select("text")
    #expect(selection.identity(as: String.self) == "text")
    #expect(selection.identity(as: Int.self) == nil)
  }

  @Test func theItemOfAListOfSeveralTypesIsKnownByItsOwnID() throws {
    let mixed = try ArrayDataProvider<any ItemViewModel>(items: [Item(id: 5)])
    selection.select(try mixed.identityForRow(at: [0, 0]))
    #expect(selection.identity(as: Int.self) == 5)
  }

  @Test func anObserverThatSelectsAnotherOneIsHeardByAll() {
    let other = Log()
    selection.addObserver(other)
    log.onChange = { if $0.identity(as: Int.self) == 1 { $0.select(2) } }
    selection.select(1)
    // The second one is never told of what is not selected any more.
    #expect(log.told == [1, 2])
    #expect(other.told == [2])
    other.onChange = { if $0.identity(as: Int.self) == 3 { $0.select(4) } }
    selection.select(3)
    #expect(log.told == [1, 2, 3, 4])
    #expect(other.told == [2, 3, 4])
  }

  @Test func anObserverRemovedMeanwhileIsNotNotified() {
    let other = Log()
    selection.addObserver(other)
    log.onChange = { $0.removeObserver(other) }
    selection.select(1)
    #expect(other.told == [])
  }

  @Test func observersAreNotKeptAlive() {
    weak var gone: Log?
    do {
      let other = Log()
      selection.addObserver(other)
      gone = other
    }
    #expect(gone == nil)
    selection.select(1)
    #expect(log.told == [1])
  }

  /// In the original it was a global one: two lists had the same row selected.
  @Test func severalItemsAreSelectedInTheirOrder() {
    let selection = Selection(1, allowsMultipleSelection: true)
    let witness = Count()
    selection.addObserver(witness)
    selection.insert(3)
    selection.insert(2)
    selection.insert(3)
    #expect(selection.identities == [1, 3, 2])
    #expect(selection.identity == AnyHashable(2))
    selection.remove(2)
    selection.remove(2)
    #expect(selection.identities(as: Int.self) == [1, 3])
    #expect(selection.contains(3) && !selection.contains(2))
    #expect(witness.count == 3)
    selection.select(3)
    #expect(selection.identities == [3])
    selection.select(nil)
    #expect(selection.identities.isEmpty)
    #expect(witness.count == 5)
  }

  @Test func oneItemTakesThePlaceOfTheOther() {
    let selection = Selection(1)
    selection.insert(2)
    #expect(selection.identities == [2])
    selection.remove(1)
    #expect(selection.identity == AnyHashable(2))
    selection.remove(2)
    #expect(selection.identity == nil)
  }

  private final class Count: SelectionObserver {
    var count = 0
    func selectionDidChange(_ selection: Selection) { count += 1 }
  }

  @Test func twoSelectionsKnowNothingOfEachOther() {
    let other = Selection()
    selection.select(1)
    #expect(other.identity == nil)
  }
}
