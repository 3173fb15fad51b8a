import FetchedResults
import RowQueries
import SQLiteStorage

/// A batch as SQL: one transaction that makes a copy of the old version the new one.
///
/// | what | why |
/// |---|---|
/// | `PRAGMA foreign_keys = OFF`, if a changed table has foreign keys or is referred to | what they delete or update is in the batch |
/// | what the schema loses; triggers that would write rows of the batch | what they write is in the batch |
/// | `DELETE`, `UPDATE`, `INSERT` | a unique value must be free before another row has it |
/// | what the schema gains; the triggers | |
struct BatchStatements {
  private let changes: DatabaseChanges
  private let copy: CopySchema
  private let text = OutputBuffer()
  /// The names of the tables that are dropped with their rows.
  private var dropped: Set<ExactText> = []

  /// - Parameter isLogged: whether a log has the rows of a table of this name.
  init(_ changes: DatabaseChanges, isLogged: (String) -> Bool) throws {
    self.changes = changes
    copy = try changes.withNewVersion { try CopySchema(changes, isLogged: isLogged, in: $0) }
  }

  /// Makes the text.
  ///
  /// - Throws: `ToolError` if SQL cannot say a change; the errors of `DatabaseChanges.forEachRow(_:)`.
  mutating func bytes() throws -> [UInt8] {
    if copy.hasForeignKeys { append("PRAGMA foreign_keys = OFF") }
    append("BEGIN")
    dropEntries()
    try changeTables()
    try changeRows()
    createEntries()
    append("COMMIT")
    return text.take()
  }

  private func append(_ statement: SQL) { append(definition: "\(statement)") }

  private func append(definition: String?) {
    if let definition { text.append(text: definition + ";\n") }
  }

  // MARK: - The schema

  private func dropEntries() {
    let ended = changes.schemaChanges.filter { $0.object != .table && $0.oldSQL != nil }
    for change in ended where change.object == .trigger {
      append("DROP TRIGGER \(identifier: change.name)")
    }
    for trigger in copy.silenced { append("DROP TRIGGER IF EXISTS \(identifier: trigger.name)") }
    // With its triggers, a view would be dropped first.
    for change in ended where change.object != .trigger {
      append("DROP \(SQL(verbatim: change.object.rawValue)) \(identifier: change.name)")
    }
  }

  private mutating func changeTables() throws {
    for change in changes.schemaChanges where change.object == .table {
      let name: SQL = "\(identifier: change.name)"
      switch change.kind {
      case .dropped:
        dropped.insert(change.name.exact)
        append("DROP TABLE \(name)")
      case .renamed: append("ALTER TABLE \(identifier: change.oldName ?? "") RENAME TO \(name)")
      case .created: append(definition: change.newSQL)
      case .altered:
        throw ToolError(
          "the columns of \(change.name) have changed, which --format sql cannot say. Use ndjson",
          .badData)
      }
    }
  }

  private func createEntries() {
    let begun = changes.schemaChanges.filter { $0.object != .table && $0.newSQL != nil }
    for change in begun where change.object != .trigger {
      append(definition: change.newSQL)
    }
    for change in begun where change.object == .trigger {
      append(definition: change.newSQL)
    }
    for trigger in copy.silenced { append(definition: trigger.sql) }
  }

  // MARK: - The rows

  private func changeRows() throws {
    let (deletes, updates, inserts) = (OutputBuffer(), OutputBuffer(), OutputBuffer())
    func append(_ statement: SQL, to text: OutputBuffer) { text.append(text: "\(statement);\n") }
    /// The updates of the table whose rows are read now.
    var updated: [TableRowChange] = []
    func endTable() throws {
      let keys = updated.first.flatMap { copy.uniqueKeys[$0.table.sqliteFolded] } ?? []
      for (change, isInTheWay) in zip(updated, UniqueKey.obstructed(updated, keys)) {
        if isInTheWay {
          append(try change.deletion, to: deletes)
          append(change.insertion, to: inserts)
        } else {
          append(try change.update, to: updates)
        }
      }
      updated = []
    }
    try changes.forEachRow { change in
      try Interruption.check()
      if let last = updated.last, last.table.exact != change.table.exact { try endTable() }
      switch change.kind {
      case .delete:
        if !dropped.contains(change.table.exact) { append(try change.deletion, to: deletes) }
      case .update:
        if copy.uniqueKeys[change.table.sqliteFolded] != nil {
          updated.append(change)
        } else {
          append(try change.update, to: updates)
        }
      case .insert: append(change.insertion, to: inserts)
      }
    }
    try endTable()
    for part in [deletes, updates, inserts] { text.append(bytes: part.bytes) }
  }
}

// MARK: - Statements

extension TableRowChange {
  fileprivate var insertion: SQL {
    guard let new else { return "" }
    let rowID = zip(key.columnNames.names, key.values)
      .filter { new.columnNames.position(of: $0.0) == nil }
    let names =
      rowID.map { SQL(verbatim: $0.0) } + new.columnNames.names.map { "\(identifier: $0)" }
    return """
      INSERT INTO \(identifier: table)(\(names.joined(separator: ", "))) \
      VALUES \(rowID.map(\.1) + new.values)
      """
  }

  fileprivate var deletion: SQL {
    get throws {
      let condition = try self.condition
      return "DELETE FROM \(identifier: table) WHERE \(condition)"
    }
  }

  fileprivate var update: SQL {
    get throws {
      let condition = try self.condition
      let assignments = changedColumns.map { "\(identifier: $0) = \(newValue(of: $0))" as SQL }
      return """
        UPDATE \(identifier: table) SET \(assignments.joined(separator: ", ")) WHERE \(condition)
        """
    }
  }

  private var condition: SQL {
    get throws {
      guard !key.values.isEmpty, !key.values.contains(.null), let old else {
        throw ToolError(
          "a row of \(table) has no key by which SQL could find it. Leave it out with --except",
          .badData)
      }
      let conditions = zip(key.columnNames.names, key.values).map { name, value -> SQL in
        let isColumn = old.columnNames.position(of: name) != nil
        return isColumn
          ? "\(identifier: name) = \(value)" : "\(SQL(verbatim: name)) = \(value)"
      }
      return conditions.joined(separator: " AND ")
    }
  }
}

// MARK: - Unique values

/// A unique constraint or index of a table, besides its primary key.
struct UniqueKey {
  private let columns: [TableIndex.Column]

  /// - Parameter index: of the rows of a partial one, all are taken for its own.
  init(_ index: TableIndex) {
    // Others may have any value.
    columns = index.columns.filter {
      $0.name != nil && ["binary", "nocase", "rtrim"].contains($0.collation.sqliteFolded.text)
    }
  }

  /// For each updated row of a table, whether another one may have to lose a value before this row can have it.
  ///
  /// Complexity: O(rows) for each key.
  static func obstructed(_ rows: [TableRowChange], _ keys: [UniqueKey]) -> [Bool] {
    var isObstructed = rows.map { _ in false }
    guard rows.count > 1 else { return isObstructed }
    for key in keys {
      let old = rows.map { $0.old.flatMap(key.values) }
      var counts: [[Value]: Int] = [:]
      for case let values? in old { counts[values, default: 0] += 1 }
      for (position, row) in rows.enumerated() {
        guard let new = row.new.flatMap(key.values) else { continue }
        let own = old[position] == new ? 1 : 0
        if counts[new, default: 0] > own { isObstructed[position] = true }
      }
    }
    return isObstructed
  }

  /// Values that are equal for two rows of which the index may have only one; nil if it may have any number.
  private func values(of row: Row) -> [Value]? {
    var values: [Value] = []
    for column in columns {
      // A generated column is not in the row.
      guard let name = column.name, let position = row.columnNames.position(of: name) else {
        continue
      }
      switch row.values[position] {
      case .null: return nil
      // 1 and 1.0 are equal for an index, and so are 0.0 and -0.0.
      case .integer(let value): values.append(.real(Double(value)))
      case .real(let value): values.append(.real(value + 0))
      case .text(let text):
        let compared =
          switch column.collation.sqliteFolded.text {
          case "nocase": text.sqliteFolded.text
          case "rtrim": String(text.reversed().drop { $0 == " " }.reversed())
          default: text
          }
        values.append(.text(compared))
      case .blob(let bytes): values.append(.blob(bytes))
      }
    }
    return values
  }
}
