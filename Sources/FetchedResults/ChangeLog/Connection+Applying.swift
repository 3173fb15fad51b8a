public import SQLiteStorage

extension Connection {
  /// Makes the changes of a batch in this database, which may be the same one, or a copy.
  ///
  /// ```swift
  /// try database.write { try $0.apply(changes.inverted()) }
  /// ```
  ///
  /// Only what the batch tells is changed: no trigger fires, and no foreign key deletes or updates a row. Either all changes
  /// are made or none. The order in which rows are changed does not matter: two rows may have exchanged a unique value.
  ///
  /// Complexity: O(changed rows) look-ups, by the keys; and if the connection enforces foreign keys, reading the
  /// foreign keys of the changed tables and of those that refer to them, before and after. Of a table without a rowid, rows
  /// that refer to none are only counted.
  ///
  /// - Throws: `FetchError` with code `.conflict` if a row is not as the batch says that it was, a value must be unique and
  ///   is not, or a row would refer to one that does not exist and did not before; `.incomparable` if the batch has changes
  ///   of the schema, to be made first; `.missingKey` if a table has no key and hides its rowid. The errors of
  ///   ``DatabaseChanges/forEachRow(_:)``.
  public func apply(_ changes: DatabaseChanges) throws {
    guard changes.schemaChanges.isEmpty else {
      throw FetchError(
        .incomparable, "the schema was changed, which cannot be applied",
        nextStep: "Change the schema first, and then apply the rows")
    }
    try apply(to: changes.tableNames, changes.forEachRow)
  }

  /// Makes some changes of rows.
  ///
  /// The rules and errors are those of ``apply(_:)-(DatabaseChanges)``. Columns that the table does not have are left out.
  public func apply(_ rows: [TableRowChange]) throws {
    try apply(to: rows.map(\.table)) { body in for row in rows { try body(row) } }
  }

  private func apply(
    to tables: [String], _ forEachRow: ((TableRowChange) throws -> Void) throws -> Void
  ) throws {
    func run() throws {
      let foreignKeys = try enforcedForeignKeys(of: tables)
      let before = try foreignKeys.map { try ForeignKeyViolations(in: self, tables: $0) }
      var applier = ChangeApplier(to: self)
      try withoutForeignKeys(firesTriggers: false) {
        // A key or a unique value must be free before another row has it.
        try forEachRow { if $0.kind == .delete { try applier.delete($0) } }
        try forEachRow { if $0.kind == .update { try applier.update($0) } }
        try forEachRow { if $0.kind == .insert { try applier.insert($0) } }
        try applier.finish()
      }
      if let foreignKeys, let before {
        try ForeignKeyViolations(in: self, tables: foreignKeys).throwAdded(since: before)
      }
    }
    if isInTransaction { try savepoint(run) } else { try transaction { try run() } }
  }

  /// The tables in which a change of some tables can leave rows that refer to none; nil if no foreign key is enforced.
  private func enforcedForeignKeys(of changed: [String]) throws -> [String]? {
    guard try value(Bool.self, "PRAGMA foreign_keys") == true else { return nil }
    let changed = Set(changed.map(\.sqliteFolded))
    let referring = try rows(
      """
      SELECT child.name AS child, parent."table" AS parent FROM main.sqlite_schema AS child
      JOIN pragma_foreign_key_list(child.name, 'main') AS parent WHERE child.type = 'table'
      """)
    var tables: [String] = []
    var known: Set<ExactText> = []
    for row in referring {
      guard case .text(let child) = row["child"], case .text(let parent) = row["parent"],
        changed.contains(child.sqliteFolded) || changed.contains(parent.sqliteFolded),
        known.insert(child.sqliteFolded).inserted
      else { continue }
      tables.append(child)
    }
    return tables
  }
}

extension ForeignKeyViolations {
  /// - Throws: `FetchError` with code `.conflict` if a row refers to one that does not exist, and did not before.
  fileprivate func throwAdded(since before: ForeignKeyViolations) throws {
    if let error = newError(since: before) { throw error }
    guard let violation = added(since: before).first else { return }
    throw FetchError(
      .conflict,
      "a row of \(violation.table) would refer to a row of \(violation.parent) that does not exist",
      nextStep: "Apply the changes of both tables")
  }
}

/// Makes changes of rows, one after the other: first the deletes, then the updates, then the inserts.
private struct ChangeApplier {
  private let connection: Connection
  private var tables: [ExactText: TableDescription] = [:]
  /// The rows that another row keeps from being updated. They are deleted, and inserted at the end, with the values of the
  /// columns that the batch does not know.
  private var postponed: [(change: TableRowChange, others: [(name: String, value: Value)])] = []

  init(to connection: Connection) { self.connection = connection }

  mutating func delete(_ change: TableRowChange) throws {
    let table = try table(of: change)
    let place = try place(of: change, in: table)
    try run(
      "DELETE FROM \(table.quotedName) WHERE \(place.condition)", place.values, change)
  }

  mutating func update(_ change: TableRowChange) throws {
    let table = try table(of: change)
    guard let new = change.new else { return }
    let changed = change.changedColumns.filter { table.hasStored($0) }
    guard !changed.isEmpty else { return }
    let list = changed.map { "\($0.quotedIdentifier) = ?" }.joined(separator: ", ")
    let place = try place(of: change, in: table)
    do {
      try run(
        "UPDATE OR ABORT \(table.quotedName) SET \(list) WHERE \(place.condition)",
        changed.map { new[$0] } + place.values, change)
    } catch let error as DatabaseError where .constraint ~= error.resultCode {
      let others = try values(beside: new.columnNames, at: place, in: table)
      try delete(change)
      postponed.append((change, others))
    }
  }

  /// - Parameter others: the values of other columns.
  mutating func insert(
    _ change: TableRowChange, others: [(name: String, value: Value)] = []
  ) throws {
    let table = try table(of: change)
    guard let new = change.new else { return }
    var names: [String] = []
    var values: [Value] = []
    for (name, value) in zip(new.columnNames.names, new.values) where table.hasStored(name) {
      names.append(name.quotedIdentifier)
      values.append(value)
    }
    for (name, value) in others {
      names.append(name.quotedIdentifier)
      values.append(value)
    }
    // A rowid that is no column.
    for (name, value) in zip(change.key.columnNames.names, change.key.values)
    where new.columnNames.position(of: name) == nil {
      names.append(name)
      values.append(value)
    }
    let marks = values.map { _ in "?" }.joined(separator: ", ")
    do {
      try run(
        """
        INSERT OR ABORT INTO \(table.quotedName)(\(names.joined(separator: ", ")))
        VALUES (\(marks))
        """, values, change)
    } catch let error as DatabaseError where .constraint ~= error.resultCode {
      throw FetchError.conflict(change, error.message)
    }
  }

  mutating func finish() throws {
    for (change, others) in postponed { try insert(change, others: others) }
    postponed = []
  }

  /// The values of a row in the stored columns that are not among some: those that the table got later.
  private func values(
    beside known: ColumnNames, at place: (condition: String, values: [Value]),
    in table: TableDescription
  ) throws -> [(name: String, value: Value)] {
    let names = table.columns.filter { !$0.isGenerated && known.position(of: $0.name) == nil }
      .map(\.name)
    if names.isEmpty { return [] }
    let list = names.map(\.quotedIdentifier).joined(separator: ", ")
    let select = "SELECT \(list) FROM \(table.quotedName) WHERE \(place.condition)"
    var others: [(name: String, value: Value)] = []
    try connection.query(SQL(verbatim: select), place.values) { row in
      others = names.indices.map { (names[$0], row.value(at: $0)) }
    }
    return others
  }

  /// The condition that finds exactly the old row.
  private func place(
    of change: TableRowChange, in table: TableDescription
  ) throws -> (condition: String, values: [Value]) {
    guard !change.key.values.isEmpty, let old = change.old else {
      throw FetchError(
        .missingKey, "\(change.table) has no key by which a row could be found",
        nextStep: "Leave it out, or give it a primary key")
    }
    var conditions: [String] = []
    var values: [Value] = []
    var hasNull = false
    for (name, value) in zip(change.key.columnNames.names, change.key.values) {
      let isColumn = old.columnNames.position(of: name) != nil
      if value == .null { hasNull = true }
      conditions.append("\(isColumn ? name.quotedIdentifier : name) IS ?")
      values.append(value)
    }
    // With the collation of a column, other texts would be equal.
    for (name, value) in zip(old.columnNames.names, old.values) where table.hasStored(name) {
      conditions.append("\(name.quotedIdentifier) COLLATE BINARY IS ?")
      values.append(value)
    }
    let condition = conditions.joined(separator: " AND ")
    guard hasNull, let rowID = table.rowIDName else { return (condition, values) }
    // Several rows may have this key, even with the same content.
    let first = "SELECT \(rowID) FROM \(table.quotedName) WHERE \(condition) LIMIT 1"
    return ("\(rowID) = (\(first))", values)
  }

  private func run(_ sql: String, _ values: [Value], _ change: TableRowChange) throws {
    try connection.execute(sql, values)
    guard connection.changeCount == 1 else {
      throw FetchError.conflict(change, "it is not as it was when it was changed")
    }
  }

  private mutating func table(of change: TableRowChange) throws -> TableDescription {
    if let table = tables[change.table.sqliteFolded] { return table }
    guard let table = try connection.table(named: change.table, in: "main"), table.kind == .table
    else { throw try connection.noSuchTable(change.table) }
    tables[change.table.sqliteFolded] = table
    return table
  }
}

extension TableDescription {
  fileprivate var quotedName: String { "main.\(name.quotedIdentifier)" }

  /// Whether a column exists, and is not generated.
  fileprivate func hasStored(_ column: String) -> Bool {
    let column = column.sqliteFolded
    return columns.contains { $0.name.sqliteFolded == column && !$0.isGenerated }
  }
}

extension FetchError {
  fileprivate static func conflict(_ change: TableRowChange, _ reason: String) -> FetchError {
    FetchError(
      .conflict, "row \(RowIdentity(change.key.values)) of \(change.table): \(reason)",
      nextStep: "Nothing was applied. Read the row again, and decide which version it should have")
  }
}
