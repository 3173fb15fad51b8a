public import SQLiteStorage

extension Database {
  /// What any connection or process changes in the table of a record type, as records, before and after.
  ///
  /// ```swift
  /// for try await changes in database.changes(of: Track.self) {
  ///   for change in changes { print(try change.old?.name, try change.new?.name) }
  /// }
  /// for try await changes in database.changes(of: Track.self, where: { $0.genre == "Jazz" }) {
  ///   print(changes.count)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - type: a record type that is stored in a table. The first `next()` throws `FetchError` if it is computed by a
  ///     SELECT, or the table does not have its columns.
  ///   - condition: which changes are elements: those of rows that meet it before or after. A record that begins or ends
  ///     to meet it is an update, with both forms. The first `next()` throws `FetchError` with code
  ///     `.computedProperty` if a property of it has no column, and `.invalidCondition` if it does not fit the table.
  ///   - snapshot: as for ``changes(tables:except:where:since:)``.
  public func changes<Record: FetchableRecord>(
    of type: Record.Type, where condition: SQLFragment<Record>? = nil,
    since snapshot: Snapshot? = nil
  ) -> RecordChangeLog<Record> {
    RecordChangeLog(database: self, condition: condition, start: snapshot)
  }

  /// The same with a condition in Swift: `changes(of: Track.self, where: { $0.genre == genre })`. What it means is as for
  /// ``FetchRequest/where(_:)-((RecordColumns<Record>)->SQLFragment<Record>)``.
  public func changes<Record: FetchableRecord>(
    of type: Record.Type, where condition: (RecordColumns<Record>) -> SQLFragment<Record>,
    since snapshot: Snapshot? = nil
  ) -> RecordChangeLog<Record> {
    changes(of: type, where: condition(RecordColumns()), since: snapshot)
  }

  /// The same for the records in which a Boolean property is true: `where: { $0.isDone }`.
  @_disfavoredOverload
  public func changes<Record: FetchableRecord>(
    of type: Record.Type, where property: (RecordColumns<Record>) -> ColumnExpression<Record, Bool>,
    since snapshot: Snapshot? = nil
  ) -> RecordChangeLog<Record> {
    changes(of: type, where: property(RecordColumns()).isTrue, since: snapshot)
  }
}

/// The changes of the records of one type as a sequence: `database.changes(of: Track.self)`.
///
/// The rules are those of ``ChangeLog``. An element has the records that differ; it is empty if there is only a gap to
/// tell.
///
/// Sendable: each iterator observes separately.
public struct RecordChangeLog<Record: FetchableRecord>: AsyncSequence, Sendable {
  /// What has changed since the element before.
  public typealias Element = RecordChanges<Record>

  let database: Database
  let condition: SQLFragment<Record>?
  let start: Snapshot?

  /// Makes an iterator.
  public func makeAsyncIterator() -> Iterator { Iterator(log: self) }

  /// The changes of the rows of the records.
  ///
  /// - Throws: `FetchError` if the records have no table, or a property of the condition no column.
  fileprivate func rows() throws -> ChangeLog {
    let description = Record.recordDescription
    guard case .table(let table) = description.source else {
      throw FetchError(
        .noSuchTable, "\(Record.self) is computed by a SELECT, and has no table to follow",
        nextStep: "Follow the tables that the SELECT reads")
    }
    let sql = try condition?.bound(by: description) { try Record.column(of: $0).get() }
    let tables = LoggedTables([table], where: sql.map { SQL(verbatim: $0.text, $0.values) }) {
      let source = try ResolvedSource(description, in: $0, mayLackKey: true)
      for column in description.columns ?? [] { _ = try source.column(named: column.name) }
    }
    return ChangeLog(database: database, tables: tables, start: start)
  }

  /// Iterates over the changes.
  ///
  /// Not Sendable: it belongs to the task that iterates.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let log: RecordChangeLog
    /// The changes of the rows; nil before the first `next()`.
    private var rows: ChangeLog.Iterator?

    fileprivate init(log: RecordChangeLog) { self.log = log }

    /// The next changes; nil if the task was cancelled.
    ///
    /// - Throws: `DatabaseError` and `FetchError`.
    public mutating func next() async throws -> RecordChanges<Record>? {
      var rows = try self.rows ?? log.rows().makeAsyncIterator()
      defer { self.rows = rows }
      return try await rows.next(as: { changes -> RecordChanges<Record>? in
        if changes.count == 0, changes.gap == nil { return nil }
        // Read before the version is reached: if a row cannot be read, it is told when it can.
        return RecordChanges(
          gap: changes.gap,
          changes: try changes.rows().map {
            RecordChange(row: $0, description: Record.recordDescription)
          })
      })
    }
  }
}

/// The records of one type that differ between two versions: an element of ``RecordChangeLog``.
///
/// Sendable: a plain value.
public struct RecordChanges<Record: Sendable>: RandomAccessCollection, Sendable {
  /// Why the log could not tell what happened; nil if it could.
  public let gap: ChangeGap?
  private let changes: [RecordChange<Record>]

  init(gap: ChangeGap?, changes: [RecordChange<Record>]) {
    self.gap = gap
    self.changes = changes
  }

  /// 0.
  public var startIndex: Int { 0 }
  /// The number of records that differ.
  public var endIndex: Int { changes.count }
  /// The change at a position.
  public subscript(position: Int) -> RecordChange<Record> { changes[position] }
}

/// A record that was inserted, updated or deleted.
///
/// Sendable: a plain value.
public struct RecordChange<Record: Sendable>: Sendable {
  /// The change as the log tells it.
  public let row: TableRowChange
  private let description: RecordDescription<Record>

  init(row: TableRowChange, description: RecordDescription<Record>) {
    self.row = row
    self.description = description
  }

  /// What has happened to the record.
  public var kind: TableRowChange.Kind { row.kind }

  /// The record as it was; nil if it was inserted.
  ///
  /// - Throws: `FetchError` with code `.noSuchColumn` if the row lacks a column of the record; `DatabaseError` with code
  ///   `.typeMismatch` if it cannot be decoded.
  public var old: Record? { get throws { try row.old.map(decode) } }

  /// The record as it is; nil if it was deleted.
  ///
  /// - Throws: as ``old``.
  public var new: Record? { get throws { try row.new.map(decode) } }

  private func decode(_ row: Row) throws -> Record {
    guard let columns = description.columns else {
      return try description.decode(RowView(.copy(row)))
    }
    let values = try columns.map { column in
      guard let position = row.columnNames.position(of: column.name) else {
        throw FetchError(
          .noSuchColumn, "there is no stored column \(column.name) for \(Record.self)",
          nextStep: "The columns are: \(row.columnNames.names.joined(separator: ", "))")
      }
      return row.values[position]
    }
    return try description.decode(
      RowView(.copy(Row(columnNames: ColumnNames(columns.map(\.name)), values: values))))
  }
}
