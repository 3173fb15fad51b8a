import Foundation
import TableData
import TableDataTesting
import Testing

struct TableChangesStepsTests {
  @Test func deletesThenInsertsThenUpdates() {
    // [a b] [c d e] -> [f] [e* c g], where [a b] goes and [f] comes.
    let changes = TableChanges(
      deletedSections: [0], insertedSections: [0], deletedRows: [[1, 1], [0, 1], [0, 0]],
      insertedRows: [[0, 0], [1, 2]], movedRows: [.init(from: [1, 0], to: [1, 1])],
      updatedRows: [.init(old: [1, 2], new: [1, 0])])
    #expect(
      changes.sequential == [
        .deleteRow(at: [1, 1]), .deleteRow(at: [0, 1]), .deleteRow(at: [0, 0]),
        .deleteSection(at: 0), .insertSection(at: 0),
        .insertRow(at: [0, 0], new: [0, 0]),
        .moveRow(from: [1, 0], to: [1, 1], new: [1, 1]),
        .insertRow(at: [1, 2], new: [1, 2]),
        .updateRow(at: [1, 0]),
      ])
  }

  @Test func aTargetCountsTheMoversThatAreStillBeforeIt() {
    // [a b c] -> [c x a] [b]: a and b are still there when x comes.
    let changes = TableChanges(
      insertedRows: [[0, 1]],
      movedRows: [.init(from: [0, 0], to: [0, 2]), .init(from: [0, 1], to: [1, 0])])
    #expect(
      changes.sequential == [
        // a b c -> a b c x -> b c x a -> c x a
        .insertRow(at: [0, 3], new: [0, 1]),
        .moveRow(from: [0, 0], to: [0, 3], new: [0, 2]),
        .moveRow(from: [0, 0], to: [1, 0], new: [1, 0]),
      ])
  }

  @Test func aMovedRowIsDisplacedByEarlierInserts() {
    // [a b] -> [x b] [a]
    let changes = TableChanges(
      insertedRows: [[0, 0]], movedRows: [.init(from: [0, 0], to: [1, 0])])
    #expect(
      changes.sequential == [
        .insertRow(at: [0, 0], new: [0, 0]), .moveRow(from: [0, 1], to: [1, 0], new: [1, 0]),
      ])
  }

  @Test func aMoveWithinASectionCountsItsTargetWithoutTheRow() {
    // [a b c] -> [b c a], as NSTableView has it: from 0 to 2, not to 3.
    let changes = TableChanges(movedRows: [.init(from: [0, 0], to: [0, 2])])
    #expect(changes.sequential == [.moveRow(from: [0, 0], to: [0, 2], new: [0, 2])])
  }

  @Test func rowsCrossingBetweenTwoSectionsFindTheirPlaces() throws {
    // [a b] [c d] -> [c d] [a b], all four by moves.
    let changes = TableChanges(
      movedRows: [
        .init(from: [1, 0], to: [0, 0]), .init(from: [1, 1], to: [0, 1]),
        .init(from: [0, 0], to: [1, 0]), .init(from: [0, 1], to: [1, 1]),
      ])
    let new = [["c", "d"], ["a", "b"]]
    #expect(
      try changes.appliedSequentially(to: [["a", "b"], ["c", "d"]]) { new[$0.section][$0.row] }
        == new)
  }

  @Test func eachPermutationOfFiveRowsIsReached() throws {
    let old = [["a", "b", "c", "d", "e"]]
    for new in permutations(old[0]) {
      // All of them move, however needless.
      let changes = TableChanges(
        movedRows: new.enumerated().map { row, item in
          .init(from: [0, old[0].firstIndex(of: item) ?? 0], to: [0, row])
        })
      #expect(try changes.appliedSequentially(to: old) { new[$0.row] } == [new])
    }
  }

  @Test func theOrderOfTheListsDoesNotMatter() {
    let changes = TableChanges(
      deletedSections: [0, 3], deletedRows: [[1, 0], [1, 4]], insertedRows: [[1, 1], [0, 2]])
    #expect(
      changes.sequential == [
        .deleteRow(at: [1, 4]), .deleteRow(at: [1, 0]), .deleteSection(at: 3),
        .deleteSection(at: 0), .insertRow(at: [0, 2], new: [0, 2]),
        .insertRow(at: [1, 1], new: [1, 1]),
      ])
  }

  @Test func aResetIsTheOnlyStep() {
    let changes = TableChanges.reset(oldSectionCount: 2, newSectionCount: 3)
    #expect(changes.sequential.count == 1)
    guard case .reset(let reset)? = changes.sequential.first else {
      Issue.record("not a reset: \(changes.sequential)")
      return
    }
    #expect(reset.newSectionCount == 3)
  }

  private func permutations(_ items: [String]) -> [[String]] {
    guard items.count > 1 else { return [items] }
    return items.flatMap { first in
      permutations(items.filter { $0 != first }).map { [first] + $0 }
    }
  }

  @Test func deletesAreFirstInsertsSecondAndUpdatesLast() {
    // [a b c] [d e] -> [x] [b* e c] [y], of which [x] and [y] are new sections.
    let changes = TableChanges(
      insertedSections: [0, 2], deletedRows: [[1, 0], [0, 0]], insertedRows: [[0, 0], [2, 0]],
      movedRows: [.init(from: [1, 1], to: [1, 1])], updatedRows: [.init(old: [0, 1], new: [1, 0])])
    #expect(
      changes.staged == [
        TableChanges(deletedRows: [[1, 0], [0, 0]]),
        TableChanges(
          insertedSections: [0, 2], insertedRows: [[0, 0], [2, 0]],
          movedRows: [.init(from: [1, 0], to: [1, 1])]),
        TableChanges(updatedRows: [.init(old: [1, 0], new: [1, 0])]),
      ])
  }

  @Test func aMoveStartsWhereTheDeletesLeaveTheRow() {
    // [gone] [a b c d] -> [d b]
    let changes = TableChanges(
      deletedSections: [0], deletedRows: [[1, 2], [1, 0], [0, 0]],
      movedRows: [.init(from: [1, 3], to: [0, 0])])
    #expect(changes.staged.last?.movedRows == [.init(from: [0, 1], to: [0, 0])])
  }

  @Test(arguments: [
    TableChanges(deletedRows: [[0, 0]]), TableChanges(insertedSections: [0]),
    TableChanges(updatedRows: [.init(old: [0, 0], new: [0, 0])]),
  ])
  func aStageWithoutEventsIsLeftOut(changes: TableChanges) {
    #expect(changes.staged == [changes])
  }

  @Test func aResetIsTheOnlyStage() {
    let changes = TableChanges.reset(oldSectionCount: 2, newSectionCount: 3)
    #expect(changes.staged == [changes])
  }
}
