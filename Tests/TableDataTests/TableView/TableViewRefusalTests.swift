import Foundation
import TableData
import TableDataTesting
import Testing

/// What UITableView raises as an NSInternalInconsistencyException.
struct TableViewRefusalTests {
  /// A batch that is refused, and why.
  struct Refusal: CustomTestStringConvertible, Sendable {
    let new: [Int]
    let batch: @Sendable (TableView) throws -> Void
    let code: TableUpdateError.Code
    let message: String

    init(
      _ code: TableUpdateError.Code, _ message: String, new: [Int] = [3, 2],
      _ batch: @escaping @Sendable (TableView) throws -> Void
    ) {
      self.new = new
      self.batch = batch
      self.code = code
      self.message = message
    }

    var testDescription: String { message }
  }

  static var refusals: [Refusal] {
    [
      Refusal(
        .rowCount,
        """
        Invalid update: invalid number of rows in section 0. The number of rows contained in an \
        existing section after the update (3) must be equal to the number of rows contained in \
        that section before the update (3), plus or minus the number of rows inserted or \
        deleted from that section (1 inserted, 0 deleted) and plus or minus the number of rows \
        moved into or out of that section (0 moved in, 0 moved out).
        """
      ) { try $0.insertRows(at: [[0, 0]]) },
      Refusal(
        .rowCount,
        """
        Invalid update: invalid number of rows in section 0. The number of rows contained in an \
        existing section after the update (9) must be equal to the number of rows contained in \
        that section before the update (2), plus or minus the number of rows inserted or \
        deleted from that section (0 inserted, 0 deleted) and plus or minus the number of rows \
        moved into or out of that section (0 moved in, 0 moved out).
        """, new: [9]
      ) { try $0.deleteSections([0]) },
      Refusal(
        .sectionCount,
        """
        Invalid update: invalid number of sections. The number of sections contained in the table \
        view after the update (1) must be equal to the number of sections contained in the \
        table view before the update (2), plus or minus the number of sections inserted or \
        deleted (0 inserted, 0 deleted).
        """, new: [3]
      ) { _ in },
      Refusal(
        .outOfRange,
        """
        attempt to insert row 3 into section 0, but there are only 3 rows in section 0 after the \
        update
        """
      ) { try $0.insertRows(at: [[0, 3]]) },
      Refusal(
        .outOfRange,
        "attempt to delete row 9 from section 1 which only contains 2 rows before the update"
      ) { try $0.deleteRows(at: [[1, 9]]) },
      Refusal(
        .outOfRange, "attempt to reload section 2, but there are only 2 sections before the update"
      ) { try $0.reloadSections([2]) },
      Refusal(
        .outOfRange, "attempt to move section 2, but there are only 2 sections before the update"
      ) { try $0.moveSection(2, toSection: 0) },
      Refusal(
        .outOfRange,
        "attempt to move a section to 2, but there are only 2 sections after the update"
      ) { try $0.moveSection(0, toSection: 2) },
      Refusal(
        .conflict,
        "attempt to delete and reload the same index path ({length = 2, path = 0 - 1})",
        new: [2, 2]
      ) {
        try $0.deleteRows(at: [[0, 1]])
        try $0.reloadRows(at: [[0, 1]])
      },
      Refusal(
        .conflict,
        """
        attempt to perform a delete and a move from the same index path \
        ({length = 2, path = 0 - 1})
        """
      ) {
        try $0.deleteRows(at: [[0, 1]])
        try $0.moveRow(at: [0, 1], to: [0, 0])
      },
      // A reload is a delete and an insert.
      Refusal(
        .conflict,
        """
        attempt to perform a delete and a move from the same index path \
        ({length = 2, path = 0 - 1})
        """
      ) {
        try $0.moveRow(at: [0, 1], to: [0, 0])
        try $0.reloadRows(at: [[0, 1]])
      },
      Refusal(
        .conflict,
        """
        attempt to perform an insert and a move to the same index path \
        ({length = 2, path = 0 - 0})
        """, new: [4, 2]
      ) {
        try $0.insertRows(at: [[0, 0]])
        try $0.moveRow(at: [0, 1], to: [0, 0])
      },
      Refusal(
        .conflict,
        "attempt to perform two moves to the same index path ({length = 2, path = 0 - 0})"
      ) {
        try $0.moveRow(at: [0, 1], to: [0, 0])
        try $0.moveRow(at: [0, 2], to: [0, 0])
      },
      Refusal(
        .conflict,
        "attempt to perform two inserts at the same index path ({length = 2, path = 0 - 0})"
      ) { try $0.insertRows(at: [[0, 0], [0, 0]]) },
      Refusal(.conflict, "attempt to delete and reload the same section (0)", new: [2]) {
        try $0.deleteSections([0])
        try $0.reloadSections([0])
      },
      Refusal(
        .conflict, "attempt to perform a delete and a move from the same section (0)", new: [2]
      ) {
        try $0.deleteSections([0])
        try $0.moveSection(0, toSection: 0)
      },
      Refusal(
        .conflict, "attempt to perform an insert and a move to the same section (1)",
        new: [2, 3, 1]
      ) {
        try $0.insertSections([1])
        try $0.moveSection(0, toSection: 1)
      },
      Refusal(
        .moveOutOfDeletedSection, "cannot move a row from a deleted section (0)", new: [3]
      ) {
        try $0.deleteSections([0])
        try $0.moveRow(at: [0, 0], to: [0, 0])
      },
      Refusal(
        .moveIntoInsertedSection, "cannot move a row into a newly inserted section (1)",
        new: [2, 1, 2]
      ) {
        try $0.insertSections([1])
        try $0.moveRow(at: [0, 0], to: [1, 0])
      },
      Refusal(
        .moveOutOfDeletedSection, "cannot move a row from a deleted section (0)", new: [2, 3]
      ) {
        try $0.reloadSections([0])
        try $0.moveRow(at: [0, 0], to: [1, 0])
      },
      // The reloaded section is old number 1 and new number 0.
      Refusal(
        .moveIntoInsertedSection, "cannot move a row into a newly inserted section (0)",
        new: [3, 2]
      ) {
        try $0.moveSection(0, toSection: 1)
        try $0.reloadSections([1])
        try $0.moveRow(at: [0, 0], to: [0, 0])
      },
      Refusal(
        .conflict,
        "attempt to reload row 0 of section 0, which is deleted or reloaded in the same update",
        new: [2]
      ) {
        try $0.deleteSections([0])
        try $0.reloadRows(at: [[0, 0]])
      },
      Refusal(
        .malformedIndexPath,
        """
        the index path ({length = 3, path = 0 - 1 - 2}) does not name a row: it must be a section \
        and a row
        """
      ) { try $0.reloadRows(at: [[0, 1, 2]]) },
    ]
  }

  @Test(arguments: refusals)
  func anIllegalBatchIsRefusedWhenItEnds(refusal: Refusal) throws {
    let table = TableView()
    let source = ListDataSource([[1, 2, 3], [4, 5]])
    try source.show(in: table)
    try table.beginUpdates()
    try refusal.batch(table)
    source.content = refusal.new.map { Array(0..<$0) }
    let error = #expect(throws: TableUpdateError.self) { try table.endUpdates() }
    #expect(error?.code == refusal.code)
    #expect(error?.message == refusal.message)
    #expect(table.numbersOfRows == [3, 2])
  }

  @Test func rowsOfADeletedSectionMayBeDeletedToo() throws {
    // As Core Data tells it.
    let table = TableView()
    let source = ListDataSource([[1, 2, 3], [4, 5]])
    try source.show(in: table)
    source.content = [[1, 2, 3], [7]]
    try table.performBatchUpdates {
      try table.deleteRows(at: [[1, 1], [1, 0]])
      try table.deleteSections([1])
      try table.insertSections([1])
      try table.insertRows(at: [[1, 0]])
    }
    #expect(source.shown(in: table) == [1, 2, 3, 7])
  }

  // MARK: At the wrong time

  @Test func anEndNeedsABegin() throws {
    let table = TableView()
    let error = #expect(throws: TableUpdateError.self) { try table.endUpdates() }
    #expect(error?.code == .unbalancedUpdates)
    #expect(error?.message == "endUpdates without a beginUpdates before it")
  }

  /// Something a table is asked to do.
  struct Action: CustomTestStringConvertible, Sendable {
    let name: String
    let body: @Sendable (TableView) throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (TableView) throws -> Void) {
      self.name = name
      self.body = body
    }

    var testDescription: String { name }
  }

  static let impossibleDuringUpdates = [
    Action("reload the data") { try $0.reloadData() },
    Action("scroll") { try $0.setContentOffset(1) },
    Action("scroll") { try $0.scrollToRow(at: [0, 0]) },
    Action("change the height") { try $0.setHeight(3) },
    Action("select a row") { try $0.selectRow(at: [0, 0]) },
    Action("deselect a row") { try $0.deselectRow(at: [0, 0]) },
    Action("apply changes") { try $0.apply(TableChanges()) },
  ]

  @Test(arguments: impossibleDuringUpdates)
  func someThingsHaveToWaitForTheEndOfTheUpdates(action: Action) throws {
    let table = TableView()
    let source = ListDataSource([[1, 2, 3]])
    try source.show(in: table)
    try table.beginUpdates()
    let error = #expect(throws: TableUpdateError.self) { try action.body(table) }
    #expect(error?.code == .updateInProgress)
    #expect(error?.message == "attempt to \(action.name) between beginUpdates and endUpdates")
    try table.endUpdates()
    try action.body(table)
  }

  // Changes are deferred: the contract's rule 28.
  static let impossibleWhileAsked =
    impossibleDuringUpdates.filter { $0.name != "apply changes" } + [
      Action("begin updates") { try $0.beginUpdates() },
      Action("begin updates") { try $0.performBatchUpdates {} },
      Action("end updates") { try $0.endUpdates() },
      Action("insert rows") { try $0.insertRows(at: [[0, 0]]) },
      Action("delete rows") { try $0.deleteRows(at: [[0, 0]]) },
      Action("reload rows") { try $0.reloadRows(at: [[0, 0]]) },
      Action("move a row") { try $0.moveRow(at: [0, 0], to: [0, 1]) },
      Action("insert sections") { try $0.insertSections([0]) },
      Action("delete sections") { try $0.deleteSections([0]) },
      Action("reload sections") { try $0.reloadSections([0]) },
      Action("move a section") { try $0.moveSection(0, toSection: 1) },
    ]

  @Test(arguments: impossibleWhileAsked)
  func aDataSourceMustNotChangeTheTableThatAsksIt(action: Action) throws {
    let table = TableView()
    let source = ListDataSource([[1, 2, 3]])
    try source.show(in: table)
    source.onQuestion = { [unowned table] in try action.body(table) }
    let error = #expect(throws: TableUpdateError.self) { try table.reloadData() }
    #expect(error?.code == .updateInProgress)
    #expect(error?.message == "attempt to \(action.name) while the data source is being asked")
    source.onQuestion = {}
    try table.reloadData()
  }
}
