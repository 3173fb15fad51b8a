import Foundation
import Testing

@testable import TableData

struct UserMoveTests {
  private let move = TableChanges.Move(from: [0, 1], to: [0, 3])

  @Test func whatTheUserHasMovedIsNotMovedAgain() {
    let changes = TableChanges(movedRows: [move])
    #expect(changes.without(shownMove: move, sectionCount: 2) == TableChanges())
  }

  @Test func anythingElseIsReadAnew() {
    let reset = TableChanges.reset(oldSectionCount: 2, newSectionCount: 2)
    for changes in [
      TableChanges(insertedRows: [[1, 0]], movedRows: [move]),
      TableChanges(movedRows: [TableChanges.Move(from: [0, 1], to: [0, 2])]),
      TableChanges(updatedRows: [TableChanges.Update(old: [0, 1], new: [0, 1])]),
    ] {
      #expect(changes.without(shownMove: move, sectionCount: 2) == reset)
    }
  }
}
