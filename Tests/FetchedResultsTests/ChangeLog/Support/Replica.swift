import SQLiteStorage

@testable import FetchedResults

/// A copy of a database, to which the batches of a change log are applied.
struct Replica {
  let connection: Connection

  init(copying source: Connection, at path: String) throws {
    connection = try Connection(path: path, access: .readWriteCreate)
    try connection.execute("PRAGMA synchronous = OFF")
    try source.copy(to: connection)
  }

  /// Applies a batch.
  func apply(_ changes: DatabaseChanges) throws {
    let ended = try applySchema(of: changes)
    let rows = try changes.rows().filter { change in
      change.kind != .delete || !ended.contains(change.table.sqliteFolded)
    }
    try connection.apply(rows)
    try connection.makeEntries(of: changes)
  }

  /// Changes the schema as a batch tells.
  ///
  /// - Returns: the folded names of the tables that have ended with their rows.
  private func applySchema(of changes: DatabaseChanges) throws -> Set<ExactText> {
    guard !changes.schemaChanges.isEmpty else { return [] }
    try connection.execute("PRAGMA legacy_alter_table = ON")
    for row in try connection.rows(
      """
      SELECT type, name FROM sqlite_schema
      WHERE type IN ('index', 'view', 'trigger') AND sql IS NOT NULL
      """)
    {
      guard case .text(let type) = row["type"], case .text(let name) = row["name"] else { continue }
      try connection.execute(SQL(verbatim: "DROP \(type) \(name.quotedIdentifier)"))
    }
    var ended: Set<ExactText> = []
    for table in changes.tables where table.pair.new == nil {
      if let old = table.pair.old { ended.insert(old.name.sqliteFolded) }
    }
    let tables = changes.schemaChanges.filter { $0.object == .table }
    // A name may be free only when another table has left it.
    for change in tables where change.kind == .dropped {
      ended.insert(change.name.sqliteFolded)
      try connection.execute(SQL(verbatim: "DROP TABLE \(change.name.quotedIdentifier)"))
    }
    for change in tables where change.kind == .renamed {
      let old = (change.oldName ?? "").quotedIdentifier
      try connection.execute(
        SQL(verbatim: "ALTER TABLE \(old) RENAME TO \(("step " + change.name).quotedIdentifier)"))
    }
    for change in tables where change.kind == .renamed {
      try connection.execute(
        SQL(
          verbatim: """
            ALTER TABLE \(("step " + change.name).quotedIdentifier)
            RENAME TO \(change.name.quotedIdentifier)
            """))
    }
    for change in tables where change.kind == .altered {
      try rebuild(change, isEnded: ended.contains(change.name.sqliteFolded))
    }
    for change in tables where change.kind == .created {
      try connection.execute(SQL(verbatim: change.newSQL ?? ""))
    }
    return ended
  }

  private func rebuild(_ change: SchemaChange, isEnded: Bool) throws {
    let name = change.name.quotedIdentifier
    guard !isEnded else {
      try connection.execute(SQL(verbatim: "DROP TABLE \(name)"))
      return try connection.execute(SQL(verbatim: change.newSQL ?? ""))
    }
    let old = try connection.table(named: change.name)
    try connection.execute(SQL(verbatim: "ALTER TABLE \(name) RENAME TO former"))
    try connection.execute(SQL(verbatim: change.newSQL ?? ""))
    guard let old, let new = try connection.table(named: change.name) else { return }
    let known = Set(old.columns.map { $0.name.sqliteFolded })
    var names = new.columns.filter { !$0.isGenerated && known.contains($0.name.sqliteFolded) }
      .map(\.name.quotedIdentifier)
    if let rowID = new.rowIDName, old.rowIDName == rowID { names.append(rowID) }
    let list = names.joined(separator: ", ")
    try connection.execute(
      SQL(verbatim: "INSERT INTO \(name)(\(list)) SELECT \(list) FROM former"))
    try connection.execute("DROP TABLE former")
  }
}

extension Connection {
  /// Makes the indexes, views and triggers that a batch leads to, in a copy that has none.
  fileprivate func makeEntries(of changes: DatabaseChanges) throws {
    guard !changes.schemaChanges.isEmpty else { return }
    let entries = try changes.withNewVersion { source in
      try source.values(
        String.self,
        """
        SELECT sql FROM sqlite_schema
        WHERE type IN ('index', 'view', 'trigger') AND sql IS NOT NULL
        """)
    }
    for sql in entries { try execute(SQL(verbatim: sql)) }
  }

  /// The rows of all tables, as a text in an order of their own. Where a rowid is all that identifies a row, it is part of it.
  func contents() throws -> [String] {
    try tables().filter { $0.kind == .table }.flatMap { table in
      let rowID = table.isKeyRowID ? table.rowIDName.map { [$0] } ?? [] : []
      let names = table.columns.filter { !$0.isGenerated }.map(\.name.quotedIdentifier)
      let list = (rowID + names).joined(separator: ", ")
      let rows = try rows("SELECT \(list) FROM \(table.name.quotedIdentifier)" as String)
      return [table.name] + rows.map { $0.values.map(\.literal).joined(separator: "|") }.sorted()
    }
  }
}
