import Foundation
import TableData
import TableDataTesting
import TestLists
import Testing

/// Rules 12 to 20 of the change contract, through a strict table.
struct TableViewContractTests {
  let table = TableView(height: 20)
  let source = ListDataSource([["a", "b", "c"], ["d", "e"], ["f"]])

  init() throws {
    try source.show(in: table)
  }

  private func show(_ content: [[String]], after changes: TableChanges) throws {
    source.content = content
    try table.apply(changes)
    #expect(table.numbersOfRows == content.map(\.count))
    #expect(source.shown(in: table) == content.flatMap(\.self))
  }

  @Test func rule12WhatGoesIsToldInOldAndWhatComesInNewCoordinates() throws {
    // The old number of [d e] is 1, the new one 0; c is old row 2 and new row 1 and update.
    try show(
      [["x"], ["b", "c*"], ["f", "a*"]],
      after: TableChanges(
        deletedSections: [1], insertedSections: [0], deletedRows: [[1, 1], [1, 0]],
        insertedRows: [[0, 0]], movedRows: [.init(from: [0, 0], to: [2, 1])],
        updatedRows: [.init(old: [0, 2], new: [1, 1])]))
  }

  @Test func rule13ADisplacedRowHasNoEventAndKeepsItsCell() throws {
    let cell = try #require(table.cellForRow(at: [0, 2]))
    try show(
      [["x", "y", "b", "c"], ["d", "e"], ["f"]],
      after: TableChanges(deletedRows: [[0, 0]], insertedRows: [[0, 0], [0, 1]]))
    #expect(table.cellForRow(at: [0, 3]) === cell)
  }

  @Test func rule14TwoRowsSwapByOneMove() throws {
    try show(
      [["b", "a*", "c"], ["d", "e"], ["f"]],
      after: TableChanges(movedRows: [.init(from: [0, 0], to: [0, 1])]))
    // Both renumbered: one moves, the other is updated.
    try show(
      [["a**", "b*", "c"], ["d", "e"], ["f"]],
      after: TableChanges(
        movedRows: [.init(from: [0, 1], to: [0, 0])],
        updatedRows: [.init(old: [0, 0], new: [0, 1])]))
  }

  @Test func rule15AMoveMayHaveTheSameNumbersBeforeAndAfter() throws {
    // A section comes first, and f moves from [2] to the section that has number 2 now.
    let cell = try #require(table.cellForRow(at: [2, 0]))
    try show(
      [["x"], ["a", "b", "c"], ["f*", "d", "e"], []],
      after: TableChanges(
        insertedSections: [0], insertedRows: [[0, 0]],
        movedRows: [.init(from: [2, 0], to: [2, 0])]))
    #expect(table.cellForRow(at: [2, 0]) === cell)
  }

  @Test func rule16NoRowMovesOutOfADeletedSection() throws {
    source.content = [["a", "b", "c", "f"], ["d", "e"]]
    let error = #expect(throws: TableUpdateError.self) {
      try table.apply(
        TableChanges(deletedSections: [2], movedRows: [.init(from: [2, 0], to: [0, 3])]))
    }
    #expect(error?.code == .moveOutOfDeletedSection)
    try table.apply(
      TableChanges(deletedSections: [2], deletedRows: [[2, 0]], insertedRows: [[0, 3]]))
    #expect(source.shown(in: table) == ["a", "b", "c", "f", "d", "e"])
  }

  @Test func rule16NoRowMovesIntoAnInsertedSection() throws {
    source.content = [["b", "c"], ["a"], ["d", "e"], ["f"]]
    let error = #expect(throws: TableUpdateError.self) {
      try table.apply(
        TableChanges(insertedSections: [1], movedRows: [.init(from: [0, 0], to: [1, 0])]))
    }
    #expect(error?.code == .moveIntoInsertedSection)
    try table.apply(
      TableChanges(insertedSections: [1], deletedRows: [[0, 0]], insertedRows: [[1, 0]]))
    #expect(source.shown(in: table) == ["b", "c", "a", "d", "e", "f"])
  }

  @Test(arguments: [true, false])
  func rule17RowsOfSectionsThatComeOrGoMayBeToldOrNot(isCompacted: Bool) throws {
    let changes = TableChanges(
      deletedSections: [0], insertedSections: [1], deletedRows: [[0, 2], [0, 1], [0, 0]],
      insertedRows: [[1, 0], [1, 1]])
    try show([["d", "e"], ["x", "y"], ["f"]], after: isCompacted ? changes.compacted : changes)
  }

  @Test func rule18ABatchIsToldInItsOrder() throws {
    source.content = [["c"], ["d", "e"], ["f"]]
    let error = #expect(throws: TableUpdateError.self) {
      try table.apply(TableChanges(deletedRows: [[0, 0], [0, 1]]))
    }
    #expect(error?.code == .order)
    try table.apply(TableChanges(deletedRows: [[0, 1], [0, 0]]))
  }

  @Test func rule19EachSectionHasAfterwardsWhatItHadAndWhatCameWithoutWhatWent() throws {
    source.content = [["a", "b"], ["d", "e"], ["f", "c"]]
    let error = #expect(throws: TableUpdateError.self) {
      try table.apply(TableChanges(deletedRows: [[0, 2]]))
    }
    #expect(error?.code == .rowCount)
    #expect(
      error?.message.hasPrefix("Invalid update: invalid number of rows in section 2.") == true)
  }

  @Test(arguments: SeededGenerator.seeds(20))
  func rule20AllFormsLeadATableToTheNewContent(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var list = RandomList(rowCount: 25, rankCount: 8, using: &generator)
    let batched = try Follower(list)
    let staged = try Follower(list)
    let sequential = try Follower(list)
    for round in 0..<20 {
      let old = list
      let edits = list.commit(using: &generator)
      let changes = old.changes(to: list)
      let new = list.sections.map(\.items)
      try batched.follow(changes, to: new)
      try staged.followInStages(changes, to: new)
      try sequential.followStepByStep(changes, to: new)
      for follower in [batched, staged, sequential] {
        #expect(follower.shown == new.flatMap(\.self), "round \(round): \(edits)")
      }
    }
  }

  /// A table that shows a random list.
  private final class Follower {
    let table = TableView(height: 1000)
    let source: ListDataSource<RandomList.Row>

    init(_ list: RandomList) throws {
      source = ListDataSource(list.sections.map(\.items))
      try source.show(in: table)
    }

    var shown: [RandomList.Row?] { source.shown(in: table) }

    func follow(_ changes: TableChanges, to content: [[RandomList.Row]]) throws {
      source.content = content
      try table.apply(changes)
    }

    func followInStages(_ changes: TableChanges, to content: [[RandomList.Row]]) throws {
      for stage in changes.staged {
        source.content = try stage.applied(to: source.content) { content[$0.section][$0.row] }
        try table.apply(stage)
      }
    }

    func followStepByStep(_ changes: TableChanges, to content: [[RandomList.Row]]) throws {
      for operation in changes.sequential {
        switch operation {
        case .reset: Issue.record("no reset was expected")
        case .deleteRow(let place):
          source.content[place.section].remove(at: place.row)
          try table.deleteRows(at: [place])
        case .deleteSection(let section):
          source.content.remove(at: section)
          try table.deleteSections([section])
        case .insertSection(let section):
          source.content.insert([], at: section)
          try table.insertSections([section])
        case .updateSection(let section):
          _ = try table.numberOfRows(inSection: section)
        case .insertRow(let place, let new):
          source.content[place.section].insert(content[new.section][new.row], at: place.row)
          try table.insertRows(at: [place])
        case .moveRow(let from, let to, let new):
          source.content[from.section].remove(at: from.row)
          source.content[to.section].insert(content[new.section][new.row], at: to.row)
          try table.moveRow(at: from, to: to)
          try table.reloadRows(at: [to])
        case .updateRow(let place):
          source.content[place.section][place.row] = content[place.section][place.row]
          try table.reloadRows(at: [place])
        }
      }
    }
  }
}
