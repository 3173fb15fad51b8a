internal import LiveQueries
internal import SQLiteStorage

/// The source of a request, looked up in the schema.
struct ResolvedSource {
  /// The SQL after `FROM`.
  let sql: String
  /// The same as the caller wrote it: ``sql`` also keeps the order of rows without a key.
  let plainSQL: String
  /// The columns a record may have, in order.
  let columns: [String]
  /// The columns that identify a row; empty if rows have no key.
  let key: [String]
  /// Whether the schema or the SELECT guarantees that keys are unique.
  let isKeyUnique: Bool
  /// The order of a SELECT or view whose key is not declared but follows from it.
  let order: [SelectIdentity.Term]
  /// Whether a value of a key may be `NULL`.
  let isKeyNullable: Bool
  /// Whether the key is the rowid: one integer.
  let isKeyRowID: Bool
  /// The table or view; nil for a SELECT.
  let table: TableDescription?
  /// The SELECT; nil for a table or view.
  let select: String?
  /// Why the rows must be computed as the SELECT is written; nil if they need not.
  let fragility: String?
  private let collations = KnownCollations()

  /// Looks up the source of `description`.
  ///
  /// - Parameter mayLackKey: whether the rows may have no key.
  /// - Throws: `FetchError` with code `.noSuchTable`, `.noSuchColumn` or `.missingKey`, and
  ///   `DatabaseError` if a SELECT is not valid.
  init<Record>(
    _ description: RecordDescription<Record>, in connection: Connection, mayLackKey: Bool = false
  ) throws {
    let written: Written =
      switch description.source {
      case .table(let name): try Written(table: name, in: connection)
      case .select(let select): try Written(select: select.sql(), in: connection)
      }
    let (source, columns) = (written.sql, written.columns)
    (self.columns, table, select) = (columns, written.table, written.select)
    fragility = written.fragility
    let declared: [String]? =
      if case .columns(let names) = description.key { names } else { nil }
    let isRepeated = if case .repeated = description.key { true } else { false }
    let identity =
      mayLackKey && declared == nil && !isRepeated && table?.key.isEmpty ?? true
      ? try connection.identity(of: written) : nil
    // A column that is named twice, as in GROUP BY a, a, is one.
    var names: Set<ExactText> = []
    key = (declared ?? identity?.key.map { columns[$0] } ?? (isRepeated ? nil : table?.key) ?? [])
      .filter { names.insert($0.sqliteFolded).inserted }
    order = identity?.order ?? []
    let isWithoutKey =
      mayLackKey && declared == nil && key.isEmpty && (isRepeated || table?.kind != .table)
    // Each row is computed once, and the order of the rows does not depend on the query. OFFSET
    // prevents SQLite from flattening the SELECT into the statement around it.
    let alias = table.map { " AS \($0.name.quotedIdentifier)" } ?? ""
    plainSQL = source + alias
    sql = isWithoutKey ? "(SELECT * FROM \(source) LIMIT -1 OFFSET 0)\(alias)" : source
    isKeyRowID = table?.isKeyRowID == true && key.map(\.sqliteFolded) == table?.key.folded
    let schemaKey = Set(table?.key.folded ?? [])
    isKeyUnique =
      identity != nil
      || !schemaKey.isEmpty && schemaKey.isSubset(of: key.map(\.sqliteFolded))
    isKeyNullable = !isKeyRowID && table?.isNeverNull(key) != true
    guard isWithoutKey || !key.isEmpty else {
      throw FetchError(
        .missingKey, "nothing identifies a row of \(table?.name ?? "the SELECT")",
        nextStep: "Name the columns of its key")
    }
    try description.checkColumns(
      in: (table?.name ?? "the SELECT", columns), find: self.column(named:))
    for column in key { _ = try self.column(named: column) }
  }

  /// A source as the caller wrote it.
  fileprivate struct Written {
    let sql: String
    let columns: [String]
    var table: TableDescription?
    var select: String?
    /// What the SELECT reads; nil for a table or view.
    var region: ReadRegion?
    var fragility: String?

    init(table name: String, in connection: Connection) throws {
      guard let table = try connection.table(named: name) else {
        throw try connection.noSuchTable(name)
      }
      self.table = table
      sql = "\(table.schema.quotedIdentifier).\(table.name.quotedIdentifier)"
      columns = table.columns.map(\.name)
    }

    init(select: String, in connection: Connection) throws {
      // First as written, so that an error is about the caller's SQL, and a second statement is
      // found.
      let (statement, region) = try connection.namingMissingTable(of: select) {
        try connection.readStatement(select)
      }
      try statement.refusePositionalParameters()
      self.region = region
      // Without the semicolon and what follows it. On separate lines, since it may end in a
      // comment.
      let text = statement.sql.trimmingTerminator
      self.select = text
      if Connection.losesConditionsOfUnions, FragileSelect.losesConditions(text) {
        fragility = "this SQLite may lose a condition of a UNION ALL with a RIGHT or FULL JOIN"
      }
      sql = "(\n\(text)\n\(fragility == nil ? "" : "LIMIT -1 OFFSET 0\n"))"
      // The names that a query of the SELECT sees: a duplicate gets a number. The statement is run
      // because only then SQLite notices that the schema has changed since this connection last
      // read.
      let all = try connection.prepare(SQL(verbatim: "SELECT * FROM \(sql) LIMIT 0"))
      try all.run()
      columns = all.columnNames.names
    }
  }

  /// The columns, and the key if it is the hidden rowid.
  var allColumns: [String] { columns + key.filter { !columns.folded.contains($0.sqliteFolded) } }

  /// The column's name as the schema spells it.
  func column(named name: String) throws -> String {
    let folded = name.sqliteFolded
    if let column = columns.first(where: { $0.sqliteFolded == folded }) { return column }
    if isKeyRowID, key.folded.contains(folded) { return name }
    throw noSuchColumn(name)
  }

  /// The error for a column that does not exist.
  func noSuchColumn(_ name: String) -> FetchError {
    let snakeCase = ColumnNaming.snakeCase(name).sqliteFolded
    return FetchError(
      .noSuchColumn, "there is no column \(name) in \(table?.name ?? "the SELECT")",
      nextStep: columns.first { $0.sqliteFolded == snakeCase }.map { "There is \($0)" }
        ?? "The columns are: \(columns.joined(separator: ", "))")
  }

  /// The collation under which SQLite compares a column: the declared one, or BINARY if none is
  /// declared.
  func collation(of column: String, in connection: Connection) throws -> Collation {
    guard let table, table.kind != .view else {
      let name = try collations.name(of: column, among: columns, of: sql, in: connection)
      return Collation(name: name)
    }
    let name = try connection.collation(
      ofColumn: column, table: table.name, schema: table.schema)
    return name.map { Collation(name: $0) } ?? .binary
  }

  /// The collation that makes a key unique: that of the primary key's index, which may differ from
  /// the declared one.
  func keyCollation(of column: String, in connection: Connection) throws -> Collation {
    if let table, key.folded == table.key.folded {
      let index = try connection.indexes(of: table).first(where: \.isOfPrimaryKey)
      let folded = column.sqliteFolded
      if let indexed = index?.columns.first(where: { $0.name?.sqliteFolded == folded }) {
        return Collation(name: indexed.collation)
      }
    }
    return try collation(of: column, in: connection)
  }
}

/// The collations of the columns of a view or a SELECT. They are asked for together, when the first is wanted: SQLite
/// prepares the SELECT for each question.
private final class KnownCollations {
  /// By the folded names of the columns; nil if they were not asked for yet.
  private var names: [ExactText: String]?

  /// - Parameters:
  ///   - columns: all columns.
  ///   - source: the SQL after `FROM`.
  func name(
    of column: String, among columns: [String], of source: String, in connection: Connection
  ) throws -> String {
    if names == nil {
      let list = columns.map(\.quotedIdentifier).joined(separator: ", ")
      let all = try connection.collations(
        ofAllColumns: columns.count, in: "SELECT \(list) FROM \(source)")
      names = Dictionary(zip(columns.folded, all ?? [])) { first, _ in first }
    }
    return try names?[column.sqliteFolded]
      ?? connection.collation(
        ofColumn: 0, of: 1, in: "SELECT \(column.quotedIdentifier) FROM \(source)")
  }
}

extension Connection {
  /// What identifies the rows of a view or a SELECT; nil if nothing is known.
  fileprivate func identity(of source: ResolvedSource.Written) throws -> SelectIdentity? {
    let select = source.select ?? "SELECT * FROM \(source.sql)"
    let names = try (source.region ?? readRegion(of: select)).foldedNames
    do {
      return SelectIdentity(
        of: try SelectAnalysis(of: select, SelectSchema(names, in: self)))
    } catch is SelectRefusal {
      return nil
    }
  }
}

extension Connection {
  /// Whether SQLite has the defect that ``FragileSelect`` describes.
  fileprivate static var losesConditionsOfUnions: Bool {
    let numbers = sqliteVersion.split(separator: ".").prefix(2).map { Int($0) ?? 0 }
    return numbers.lexicographicallyPrecedes([3, 43])
  }
}

extension TableDescription {
  /// Whether no value in some columns can be `NULL`.
  fileprivate func isNeverNull(_ names: [String]) -> Bool {
    // The primary key of a table with a rowid may contain NULL.
    let notNull = Set(
      columns.filter { $0.isNotNull || isWithoutRowID && $0.primaryKeyPosition > 0 }.map {
        $0.name.sqliteFolded
      })
    return notNull.isSuperset(of: names.map(\.sqliteFolded))
  }
}

extension [String] {
  /// The names as SQLite compares them: folded.
  fileprivate var folded: [ExactText] { map(\.sqliteFolded) }
}

extension String {
  /// The statement without the semicolons and white space at its end.
  package var trimmingTerminator: String {
    String(reversed().drop { $0.isWhitespace || $0 == ";" }.reversed())
  }
}
