internal import SQLiteStorage

/// A table as the change log reads it in one version: its stored columns, and how a row is found again.
///
/// Generated columns are left out: they follow from the others.
struct LoggedTable: Sendable {
  /// How a row of one version is recognized in another.
  enum Identity: Sendable {
    /// By its rowid, which may be a column.
    case rowID
    /// By the values of its declared key.
    case key
    /// By all of its values: it has no key, and columns hide its rowid.
    case content
  }

  /// Where a row is read again.
  enum Place: Sendable {
    case rowID(Int64)
    case key(KeyTuple)
    /// Its values are kept: it cannot be found again, or there is memory for them.
    case values([Value])
  }

  /// The name, spelled as in the schema.
  let name: String
  /// The page at which the rows of the table begin.
  let rootPage: Int64
  /// The stored columns, in order.
  let columns: ColumnNames
  /// The columns of the key, or the name of the rowid; empty if a row is recognized by its content.
  let keyColumns: ColumnNames
  /// The columns of the key in SQL, under the collation that makes it unique: it need not be that of the column.
  let uniqueKey: [String]
  let identity: Identity
  /// The rowid in SQL; nil if there is none, or columns hide it.
  let rowIDName: String?
  private let description: TableDescription

  /// - Parameter keyIndex: the index of the primary key; nil if there is none.
  init(_ description: TableDescription, rootPage: Int64, keyIndex: TableIndex? = nil) {
    name = description.name
    self.rootPage = rootPage
    self.description = description
    columns = ColumnNames(description.columns.filter { !$0.isGenerated }.map(\.name))
    if description.isKeyRowID {
      identity = .rowID
      // A rowid that is no column needs no quotes, and in quotes it could be a text.
      let isColumn = columns.position(of: description.key[0]) != nil
      rowIDName = isColumn ? description.key[0].quotedIdentifier : description.key[0]
    } else {
      rowIDName = description.rowIDName
      let isFoundAgain = rowIDName != nil || description.isWithoutRowID
      identity = isFoundAgain && !description.key.isEmpty ? .key : .content
    }
    keyColumns = ColumnNames(identity == .content ? [] : description.key)
    uniqueKey = keyColumns.names.map { name in
      let indexed = keyIndex?.columns.first { $0.name?.sqliteFolded == name.sqliteFolded }
      let collation = indexed.map { " COLLATE \($0.collation.quotedIdentifier)" } ?? ""
      return name.quotedIdentifier + collation
    }
  }

  /// Whether rows of one are found again in the other.
  func hasSameKey(as other: LoggedTable) -> Bool {
    if identity == .content { return description == other.description }
    return description.isKeyRowID == other.description.isKeyRowID
      && description.isWithoutRowID == other.description.isWithoutRowID
      && keyColumns.names.map(\.sqliteFolded) == other.keyColumns.names.map(\.sqliteFolded)
  }

  /// Whether both have the same columns, byte for byte.
  func hasSameColumns(as other: LoggedTable) -> Bool {
    columns.names.exact == other.columns.names.exact && hasSameKey(as: other)
  }

  var isWithoutRowID: Bool { description.isWithoutRowID }

  func type(ofColumn name: String) -> String {
    let name = name.sqliteFolded
    return description.columns.first { $0.name.sqliteFolded == name }?.declaredType ?? ""
  }
}

// MARK: - Reading

/// Reads the rows of a table in one version. A row has the rowid if there is one, the key, the content, and whether it
/// meets the condition of the log.
final class LoggedTableReader {
  /// A column that is read as another.
  struct Column {
    let name: String
    let sql: String
  }

  let table: LoggedTable
  private let connection: Connection
  private let condition: SQL?
  private let select: String
  /// The columns of a row by which it is recognized in another version.
  let identity: Range<Int>
  /// The columns that are compared.
  let content: Range<Int>
  /// Whether the content is that of the table.
  private let readsStoredColumns: Bool
  /// Finds a row by its rowid, or by its key if there is none; nil before the first use.
  private var finder: Statement?

  /// - Parameters:
  ///   - content: the columns that are compared; nil for those of the table.
  ///   - condition: which rows are told; nil for all.
  init(
    _ table: LoggedTable, in connection: Connection, content: [Column]? = nil,
    where condition: SQL? = nil
  ) {
    self.table = table
    self.connection = connection
    self.condition = condition
    let rowID = table.rowIDName.map { [$0] } ?? []
    let key = table.identity == .key ? table.keyColumns.names.map(\.quotedIdentifier) : []
    readsStoredColumns = content == nil
    let compared = content?.map(\.sql) ?? table.columns.names.map(\.quotedIdentifier)
    let name = table.name.quotedIdentifier
    let isMet = condition.map { condition in
      // The line break ends a comment.
      let isMet = "(\(condition.text)\n) IS TRUE"
      guard let content else { return isMet }
      let columns = content.map { "\($0.sql) AS \($0.name.quotedIdentifier)" }
      return "(SELECT \(isMet) FROM (SELECT \(columns.joined(separator: ", "))) AS \(name))"
    }
    let list = rowID + key + compared + (isMet.map { [$0] } ?? [])
    select = "SELECT \(list.joined(separator: ", ")) FROM main.\(name)"
    let start = rowID.count + key.count
    self.content = start..<(start + compared.count)
    identity =
      switch table.identity {
      case .rowID: 0..<1
      case .key: rowID.count..<start
      case .content: self.content
      }
  }

  /// All rows: in the order of their rowids, or of the bytes of their keys.
  func scan() throws -> Statement {
    let order =
      table.rowIDName
      ?? table.keyColumns.names.map { "\($0.quotedIdentifier) COLLATE BINARY" }
      .joined(separator: ", ")
    return try prepare(order.isEmpty ? "" : " ORDER BY \(order)", parameterCount: 0) {
      try connection.prepare($0)
    }
  }

  /// The statement that finds a row by its rowid, or by its key if there is none. It is kept with the connection.
  func lookUp() throws -> Statement {
    if let finder { return finder }
    let columns = table.rowIDName.map { [$0] } ?? table.uniqueKey
    let conditions = columns.map { "\($0) = ?" }.joined(separator: " AND ")
    let statement = try prepare(" WHERE \(conditions)", parameterCount: columns.count) {
      try connection.cachedStatement($0)
    }
    finder = statement
    return statement
  }

  /// The parameter of ``lookUp()`` that is the rowid, or the first value of the key.
  var firstParameter: Int { (condition?.values.count ?? 0) + 1 }

  /// - Throws: `FetchError` with code `.invalidCondition` if the condition does not fit the table.
  private func prepare(
    _ end: String, parameterCount: Int, _ prepare: (String) throws -> Statement
  ) throws -> Statement {
    guard let condition else { return try prepare(select + end) }
    let values = try condition.values(or: [])
    let statement = try fitting(condition) { try prepare(select + end) }
    guard statement.columnNames.names.count == content.upperBound + 1,
      statement.parameterCount == values.count + parameterCount
    else {
      throw FetchError(
        .invalidCondition,
        "\(condition.text) is not one condition with a value for each ?", nextStep: nil)
    }
    for (number, value) in values.enumerated() { try statement.bind(value, at: number + 1) }
    return statement
  }

  /// - Throws: `FetchError` with code `.invalidCondition` if the condition does not fit the table.
  func checkCondition() throws {
    guard let condition else { return }
    // If a name in it is not valid, the error says so. SQLite would report the syntax.
    _ = try condition.values(or: [])
    // In a list of columns, an aggregate would make one row of all.
    let sql = "SELECT 1 FROM main.\(table.name.quotedIdentifier) WHERE (\(condition.text)\n)"
    _ = try fitting(condition) { try connection.prepare(sql) }
    _ = try scan()
  }

  private func fitting<Result>(
    _ condition: SQL, _ prepare: () throws -> Result
  ) throws -> Result {
    do {
      return try prepare()
    } catch let error as DatabaseError where .error ~= error.resultCode {
      throw FetchError(
        .invalidCondition,
        "the condition \(condition.text) does not fit table \(table.name): \(error.message)",
        nextStep: "Correct it, or name only the tables that it is for")
    }
  }

  /// Whether the condition is true of a row.
  func isMet(by row: borrowing RowView) -> Bool {
    condition == nil || row.int64(at: content.upperBound) == 1
  }

  /// Where a row is read again.
  ///
  /// - Parameter memory: for its values. Without enough of it, the row is looked up again.
  func place(of row: borrowing RowView, _ memory: inout RowMemory) -> LoggedTable.Place {
    if table.rowIDName == nil, !table.isWithoutRowID { return .values(values(of: row)) }
    if readsStoredColumns, memory.isLeft {
      let values = values(of: row)
      memory.use(values)
      return .values(values)
    }
    if table.rowIDName != nil { return .rowID(row.int64(at: 0)) }
    return .key(KeyTuple(packing: row, columns: identity, isExact: true))
  }

  private func values(of row: borrowing RowView) -> [Value] {
    (0..<content.upperBound).map { row.value(at: $0) }
  }

  /// The key and the values of a row.
  ///
  /// - Throws: `FetchError` with code `.vanishedRow` if it is not there: the file is damaged.
  func read(_ place: LoggedTable.Place) throws -> (key: Row, values: Row) {
    switch place {
    case .values(let values): return rows(Array(values[identity]), Array(values[content]))
    case .rowID(let rowID):
      let statement = try lookUp()
      statement.reset()
      try statement.bind(rowID, at: firstParameter)
      return try onlyRow(of: statement, RowIdentity([.integer(rowID)]))
    case .key(let key):
      let statement = try lookUp()
      statement.reset()
      try key.bind(to: statement, from: firstParameter)
      return try onlyRow(of: statement, RowIdentity(key: key))
    }
  }

  private func onlyRow(
    of statement: Statement, _ identity: RowIdentity
  ) throws -> (key: Row, values: Row) {
    defer { statement.reset() }
    guard try statement.step() else { throw FetchError.vanishedRow(identity) }
    let row = statement.currentRow
    return rows(self.identity.map { row.value(at: $0) }, content.map { row.value(at: $0) })
  }

  private func rows(_ key: [Value], _ values: [Value]) -> (key: Row, values: Row) {
    (
      Row(columnNames: table.keyColumns, values: table.identity == .content ? [] : key),
      Row(columnNames: table.columns, values: values)
    )
  }
}

/// The memory for the values of the rows of a batch, so that few rows are not looked up twice.
struct RowMemory: Sendable {
  /// The bytes that are left, about.
  private var free: Int

  init(size: Int = 1 << 23) { free = size }

  var isLeft: Bool { free > 0 }

  /// Takes what the values of a row need.
  mutating func use(_ values: [Value]) {
    for value in values {
      free -= MemoryLayout<Value>.stride
      switch value {
      case .text(let text): free -= text.utf8.count
      case .blob(let blob): free -= blob.count
      case .null, .integer, .real: break
      }
    }
  }
}
