internal import SQLiteStorage

/// Edits the copy of a result without a key, so that it has the rows of the SELECT again. The SELECT and
/// the copy are read side by side, in the order in which SQLite returns the rows.
///
/// As long as rows are equal, nothing is held of them. Where they differ, some rows of both are read
/// ahead, until many are equal again: a common subsequence of these rows stays.
///
/// Complexity: O(n) rows read, and the complexity of ``CommonSubsequence`` for the rows between those that
/// differ. Memory for the rows read ahead, 65,536 at most.
///
/// Not Sendable: it is used inside one write of the copy.
struct CopySync {
  /// The number of rows that are read ahead of each side. Where more differ, making the copy again takes less memory.
  private static let longestReadAhead = 1 << 16

  /// What was edited.
  struct Edit {
    /// The positions of the deleted rows in the old copy, ascending.
    var deleted: [Int] = []
    /// The positions of the inserted rows in the new copy, ascending, and their numbers.
    var inserted: [(position: Int, number: Int64)] = []
    /// Whether an inserted row shows the same as a deleted one.
    var movesContent = false
  }

  /// A side of the comparison: a cursor, and the rows that were read ahead of it.
  private struct Side {
    let statement: Statement
    /// The columns that are compared.
    let columns: Range<Int>
    let shownCount: Int
    /// The column of the number; nil for the SELECT.
    let numberColumn: Int?
    private(set) var isAtRow: Bool
    /// The rows before that of the cursor.
    private(set) var ahead: ArraySlice<(number: Int64, row: StoredRow)> = []
    /// The position of the next row.
    private(set) var position = 0

    init(
      _ query: BoundSQL, _ plan: QueryPlan, _ connection: Connection, columnCount: Int,
      isNumbered: Bool
    ) throws {
      columns = 0..<columnCount
      shownCount = plan.parts.columns.count
      numberColumn = isNumbered ? columnCount : nil
      (statement, _) = try connection.statement(
        for: query, parameters: isNumbered ? [:] : plan.statements.parameters, isShared: false)
      isAtRow = try statement.step()
    }

    var hasEnded: Bool { ahead.isEmpty && !isAtRow }

    /// The number of the row of the cursor.
    var number: Int64 { numberColumn.map { statement.currentRow.int64(at: $0) } ?? 0 }

    /// The number of the next row; nil if there is none.
    var nextNumber: Int64? { ahead.first?.number ?? (isAtRow ? number : nil) }

    /// Continues with the next row.
    mutating func next() throws {
      position += 1
      if ahead.isEmpty { isAtRow = try statement.step() } else { ahead.removeFirst() }
    }

    /// Notes that rows were stepped over. None of them was read ahead.
    mutating func skip(_ count: Int, isAtRow: Bool) {
      position += count
      self.isAtRow = isAtRow
    }

    /// The next row, copied.
    var row: StoredRow {
      ahead.first?.row
        ?? StoredRow(statement.currentRow, count: columns.count, shownCount: shownCount)
    }

    /// A number for the content of each row that was read ahead. Equal rows have the same.
    func contents(_ numbers: inout [StoredRow: Int]) -> [Int] {
      ahead.map { entry in
        if let number = numbers[entry.row] { return number }
        numbers[entry.row] = numbers.count
        return numbers.count - 1
      }
    }

    /// Reads ahead until `count` rows are there, or all.
    mutating func readAhead(_ count: Int) throws {
      while ahead.count < count, isAtRow {
        let row = StoredRow(statement.currentRow, count: columns.count, shownCount: shownCount)
        ahead.append((number, row))
        isAtRow = try statement.step()
      }
    }
  }

  private var old: Side
  private var new: Side
  private var editor: CopyEditor
  private var edit = Edit()
  private var deletedContents: Set<KeyTuple> = []
  private var insertedContents: [KeyTuple] = []

  /// - Parameters:
  ///   - plan: the plan of the request, for the new version of the database.
  ///   - connection: a connection that sees the new version of the database.
  ///   - observation: the query for the rows of the copy.
  ///   - oldConnection: a connection that sees the copy of the old version.
  init(
    _ plan: QueryPlan, _ connection: Connection, _ observation: BoundSQL,
    _ oldConnection: Connection,
    _ editor: CopyEditor
  ) throws {
    let count = plan.parts.copiedColumns.count
    self.editor = editor
    old = try Side(observation, plan, oldConnection, columnCount: count, isNumbered: true)
    new = try Side(plan.parts.copied, plan, connection, columnCount: count, isNumbered: false)
  }

  mutating func run() throws -> Edit {
    defer {
      old.statement.reset()
      new.statement.reset()
    }
    if old.isAtRow { try editor.begin(before: old.number) }
    let oldRow = old.statement.currentRow
    let newRow = new.statement.currentRow
    while true {
      while !old.ahead.isEmpty || !new.ahead.isEmpty, !old.hasEnded, !new.hasEnded,
        old.row == new.row
      {
        try keep()
      }
      if old.ahead.isEmpty, new.ahead.isEmpty {
        // In local variables: this is done for nearly all rows.
        let (oldStatement, newStatement, columns) = (old.statement, new.statement, old.columns)
        var (isAtOld, isAtNew, count) = (old.isAtRow, new.isAtRow, 0)
        var number: Int64 = 0
        while isAtOld, isAtNew, oldRow.isIdentical(to: newRow, in: columns) {
          number = oldRow.int64(at: columns.upperBound)
          count += 1
          isAtOld = try oldStatement.step()
          isAtNew = try newStatement.step()
        }
        if count > 0 {
          editor.pass(number)
          old.skip(count, isAtRow: isAtOld)
          new.skip(count, isAtRow: isAtNew)
        }
      }
      if old.hasEnded, new.hasEnded { break }
      try resynchronise()
    }
    edit.movesContent = insertedContents.contains(where: deletedContents.contains)
    return edit
  }

  /// Edits the rows that differ, up to some that are equal again.
  private mutating func resynchronise() throws {
    var count = 32
    while true {
      try old.readAhead(count)
      try new.readAhead(count)
      let isEnd = !old.isAtRow && !new.isAtRow
      var numbers: [StoredRow: Int] = [:]
      let oldContents = old.contents(&numbers)
      let newContents = new.contents(&numbers)
      var budget = CommonSubsequence.Budget()
      let pairs = CommonSubsequence(of: oldContents[...], and: newContents[...], &budget).pairs
      if isEnd {
        try apply(pairs[...], oldContents.count, newContents.count)
        return
      }
      if let end = CopySync.endOfLastRun(pairs) {
        let last = pairs[end - 1]
        try apply(pairs[..<end], last.old + 1, last.new + 1)
        return
      }
      count *= 2
      guard count <= CopySync.longestReadAhead else { throw CopyEditor.CopyError() }
    }
  }

  /// The index behind the last pairs that follow each other on both sides, if there are enough of them
  /// that they are probably the same rows.
  private static func endOfLastRun(_ pairs: [(old: Int, new: Int)]) -> Int? {
    var end = pairs.count
    while end > 0 {
      var start = end - 1
      while start > 0, pairs[start - 1].old + 1 == pairs[start].old,
        pairs[start - 1].new + 1 == pairs[start].new
      {
        start -= 1
      }
      if end - start >= 8 { return end }
      end = start
    }
    return nil
  }

  /// Keeps some rows that were read ahead, and edits the others up to an end.
  private mutating func apply(
    _ pairs: ArraySlice<(old: Int, new: Int)>, _ oldEnd: Int, _ newEnd: Int
  ) throws {
    var (oldCount, newCount) = (0, 0)
    for pair in pairs + [(oldEnd, newEnd)] {
      while oldCount < pair.old {
        try deleteRow()
        oldCount += 1
      }
      while newCount < pair.new {
        try insertRow()
        newCount += 1
      }
      guard pair.old < oldEnd || pair.new < newEnd else { continue }
      try keep()
      (oldCount, newCount) = (oldCount + 1, newCount + 1)
    }
  }

  private mutating func keep() throws {
    if let number = old.nextNumber { editor.pass(number) }
    try old.next()
    try new.next()
  }

  private mutating func deleteRow() throws {
    guard let number = old.nextNumber else { return }
    edit.deleted.append(old.position)
    deletedContents.insert(old.row.shown)
    try editor.delete(number)
    try old.next()
  }

  private mutating func insertRow() throws {
    let row = new.row
    let number = try editor.insert(row, before: old.nextNumber)
    edit.inserted.append((new.position, number))
    insertedContents.append(row.shown)
    try new.next()
  }
}
