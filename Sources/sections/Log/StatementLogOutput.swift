import FetchedResults
import RowQueries
import SQLiteStorage

/// Writes batches as SQL: a transaction that makes a copy of the old version the new one.
actor StatementLogOutput: LogOutput {
  private let output = OutputBuffer.standardOutput()

  func begin(tables: [String], omitted: [String], time: String) async throws {
    try output.flush()
  }

  func write(_ batch: LogBatch) async throws -> Bool {
    let text = OutputBuffer()
    if let gap = batch.gap, !gap.isBridged {
      throw ToolError("there is a gap, which SQL cannot say: \(gap.reason)", .badData)
    }
    guard let changes = batch.changes else { return false }
    text.append("BEGIN;\n")
    let ended = try appendSchema(of: changes, to: text)
    for kind in [TableRowChange.Kind.delete, .update, .insert] {
      try changes.forEachRow { change in
        try Interruption.check()
        guard change.kind == kind, kind != .delete || !ended.contains(change.table.exact) else {
          return
        }
        text.append(text: try "\(change.statement);\n")
      }
    }
    for change in changes.schemaChanges where change.object != .table {
      if let sql = change.newSQL { text.append(text: sql + ";\n") }
    }
    text.append("COMMIT;\n")
    output.append(bytes: text.bytes)
    try output.flush()
    return true
  }

  /// Appends what must be done before the rows are changed.
  ///
  /// - Returns: the tables that are dropped with their rows.
  private func appendSchema(
    of changes: DatabaseChanges, to text: OutputBuffer
  ) throws -> Set<ExactText> {
    let schema = changes.schemaChanges
    var ended: Set<ExactText> = []
    func append(_ statement: SQL) { text.append(text: "\(statement);\n") }
    for change in schema where change.object != .table && change.oldSQL != nil {
      let kind = SQL(verbatim: change.object.rawValue)
      append("DROP \(kind) \(identifier: change.name)")
    }
    for change in schema where change.object == .table {
      let name: SQL = "\(identifier: change.name)"
      switch change.kind {
      case .dropped:
        ended.insert(change.name.exact)
        append("DROP TABLE \(name)")
      case .renamed:
        append("ALTER TABLE \(identifier: change.oldName ?? "") RENAME TO \(name)")
      case .created: text.append(text: (change.newSQL ?? "") + ";\n")
      case .altered:
        throw ToolError(
          "the columns of \(change.name) have changed, which --format sql cannot say. Use ndjson",
          .badData)
      }
    }
    return ended
  }
}

extension TableRowChange {
  /// The statement that makes the change in a copy.
  fileprivate var statement: SQL {
    get throws {
      let table: SQL = "\(identifier: table)"
      if let new, old == nil {
        let rowID = zip(key.columnNames.names, key.values)
          .filter { new.columnNames.position(of: $0.0) == nil }
        let names =
          rowID.map { SQL(verbatim: $0.0) } + new.columnNames.names.map { "\(identifier: $0)" }
        return """
          INSERT INTO \(table)(\(names.joined(separator: ", "))) VALUES \(rowID.map(\.1) + new.values)
          """
      }
      guard !key.values.isEmpty, !key.values.contains(.null), let old else {
        throw ToolError(
          "a row of \(self.table) has no key by which SQL could find it. Leave it out with --except",
          .badData)
      }
      let conditions = zip(key.columnNames.names, key.values).map { name, value -> SQL in
        let isColumn = old.columnNames.position(of: name) != nil
        return isColumn
          ? "\(identifier: name) = \(value)" : "\(SQL(verbatim: name)) = \(value)"
      }
      let condition = conditions.joined(separator: " AND ")
      guard let new else { return "DELETE FROM \(table) WHERE \(condition)" }
      let assignments = changedColumns.map { "\(identifier: $0) = \(new[$0])" as SQL }
      return "UPDATE \(table) SET \(assignments.joined(separator: ", ")) WHERE \(condition)"
    }
  }
}

/// Writes batches as changesets, each after its length: 8 bytes, the highest first.
actor ChangesetLogOutput: LogOutput {
  private let output = OutputBuffer.standardOutput()

  func begin(tables: [String], omitted: [String], time: String) async throws {
    try output.flush()
  }

  func write(_ batch: LogBatch) async throws -> Bool {
    if let gap = batch.gap, !gap.isBridged {
      throw ToolError("there is a gap, which a changeset cannot say: \(gap.reason)", .badData)
    }
    if let change = batch.schemaChanges.first {
      throw ToolError(
        """
        \(change.object.rawValue) \(change.name) was \(change.kind.rawValue), which a changeset \
        cannot say. Use --format ndjson
        """, .badData)
    }
    guard let changeset = try batch.changes?.changeset() else { return false }
    for shift in stride(from: 56, through: 0, by: -8) {
      output.append(UInt8(truncatingIfNeeded: changeset.count >> shift))
    }
    output.append(bytes: changeset)
    try output.flush()
    return true
  }
}
