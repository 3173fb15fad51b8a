internal import SQLiteStorage

/// Writes rows into a copy of a result, in the order of the copy. Rows get numbers that place them
/// between their neighbours.
///
/// Not Sendable: it is used inside one write of the copy.
struct CopyEditor {
  /// The copy must be made again: a row has no number between those of its neighbours, or the copy has
  /// been edited since the version that is known.
  struct CopyError: Error {}

  private let writer: Connection
  private let insertion: Statement
  private let deletion: Statement
  private let columnCount: Int
  /// The number of the row before the next one: read, kept, deleted or inserted.
  private var previous: Int64 = 0
  /// The difference of the numbers of two rows that are inserted one after the other; nil before the
  /// first of them.
  private var step: Int64?

  /// - Parameter connection: the writer of the copy.
  init(_ connection: Connection, _ columns: CopyColumns) throws {
    writer = connection
    columnCount = columns.observed.count
    let values = (0...columnCount).map { "?\($0 + 1)" }.joined(separator: ", ")
    // A row that moved may still be at its old place, under the same key.
    insertion = try connection.prepare(
      SQL(verbatim: "INSERT OR REPLACE INTO result VALUES (\(values))"))
    deletion = try connection.prepare(
      SQL(verbatim: "DELETE FROM result WHERE \(columns.number.quotedIdentifier) = ?1"))
  }

  /// The number of rows in the copy.
  func rowCount() throws -> Int { try writer.value(Int.self, "SELECT count(*) FROM result") ?? 0 }

  /// Begins far before the first row of the copy: many lists grow at their beginning.
  mutating func begin(before first: Int64) throws {
    let (start, isTooSmall) = first.subtractingReportingOverflow(CopyColumns.stride << 8)
    guard !isTooSmall else { throw CopyError() }
    pass(start)
  }

  /// Continues after a row of the copy.
  @inline(__always)
  mutating func pass(_ number: Int64) {
    previous = number
    step = nil
  }

  /// Deletes a row, and continues behind it.
  mutating func delete(_ number: Int64) throws {
    deletion.reset()
    try deletion.bind(number, at: 1)
    try deletion.run()
    pass(number)
  }

  /// Writes other values into a row, and continues behind it.
  mutating func update(_ number: Int64, _ row: borrowing RowView) throws {
    try write(row, as: number)
    pass(number)
  }

  /// Inserts a row behind the previous one, and continues behind it.
  ///
  /// - Parameter next: the number of the next row of the copy; nil if there is none.
  /// - Returns: its number.
  @discardableResult
  mutating func insert(_ row: borrowing RowView, before next: Int64?) throws -> Int64 {
    let number = try newNumber(before: next)
    try write(row, as: number)
    return number
  }

  /// Inserts a row as ``insert(_:before:)-(RowView,_)`` does.
  @discardableResult
  mutating func insert(_ row: StoredRow, before next: Int64?) throws -> Int64 {
    let number = try newNumber(before: next)
    insertion.reset()
    try insertion.bind(number, at: 1)
    try row.bind(to: insertion, from: 2)
    try insertion.run()
    return number
  }

  private func write(_ row: borrowing RowView, as number: Int64) throws {
    insertion.reset()
    try insertion.bind(number, at: 1)
    for column in 0..<columnCount {
      try row.withComponent(at: column) { try insertion.bind($0, at: column + 2) }
    }
    try insertion.run()
  }

  /// A number between the previous row and the next one. It leaves room for rows before it, and for
  /// thousands behind it.
  private mutating func newNumber(before next: Int64?) throws -> Int64 {
    let (distance, overflows): (Int64, Bool)
    if let next {
      let (gap, isTooLarge) = next.subtractingReportingOverflow(previous)
      let gapOrStride = isTooLarge ? CopyColumns.stride : gap
      distance = step ?? max(1, gapOrStride / 4)
      step = step ?? max(1, gapOrStride >> 16)
      overflows = !isTooLarge && distance >= gap
    } else {
      (distance, overflows) = (CopyColumns.stride, false)
    }
    let (number, isTooLarge) = previous.addingReportingOverflow(distance)
    guard !overflows, !isTooLarge else { throw CopyError() }
    previous = number
    return number
  }
}

extension ResultSource {
  /// Edits the copy that the rows are read from.
  ///
  /// - Parameters:
  ///   - origin: the version of the database whose rows the copy has afterwards.
  ///   - edit: reads the copy by the query ``RequestParts/observationOfCopy`` on the connection, and writes
  ///     it by the editor.
  /// - Returns: the edited copy; nil if there is none.
  /// - Throws: ``CopyEditor/CopyError`` if it has been edited since, and `DatabaseError`.
  func editingCopy<Edit>(
    to origin: Snapshot, _ edit: (BoundSQL, Connection, inout CopyEditor) throws -> Edit
  ) throws -> (ResultSource, Edit)? {
    guard let copy, let columns = plan.parts.copy, let query = plan.parts.observationOfCopy
    else { return nil }
    let found = try snapshot.read { old in
      try copy.writeCopy { writer in
        let count: SQL = "PRAGMA user_version"
        let (number, newest) = (try old.value(Int.self, count), try writer.value(Int.self, count))
        guard let number, number == newest, number < Int(Int32.max) else {
          throw CopyEditor.CopyError()
        }
        try writer.execute(SQL(verbatim: "PRAGMA user_version = \(number + 1)"))
        var editor = try CopyEditor(writer, columns)
        return try edit(query, old, &editor)
      }
    }
    let edited = ResultSource(
      origin: origin, snapshot: try copy.snapshot(), plan: plan, copy: copy)
    return (edited, found)
  }
}

extension Database {
  /// Writes a copy of a result.
  ///
  /// - Throws: `FetchError.Code.copyTooLarge` if it would be larger than the configuration allows.
  func writeCopy<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    do {
      return try write(body)
    } catch let error as DatabaseError where .full ~= error.resultCode {
      guard let limit = configuration.copySizeLimit else { throw error }
      throw FetchError.copyTooLarge(limit: limit)
    }
  }
}
