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
  let identity: Identity
  /// The rowid in SQL; nil if there is none, or columns hide it.
  let rowIDName: String?
  private let description: TableDescription

  init(_ description: TableDescription, rootPage: Int64) {
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

  /// The declared type of a column.
  func type(ofColumn name: String) -> String {
    let name = name.sqliteFolded
    return description.columns.first { $0.name.sqliteFolded == name }?.declaredType ?? ""
  }
}

// MARK: - Reading

/// Reads the rows of a table in one version. A row has the rowid if there is one, the key, and then the content.
final class LoggedTableReader {
  let table: LoggedTable
  private let connection: Connection
  private let list: String
  /// The columns of a row by which it is recognized in another version.
  let identity: Range<Int>
  /// The columns that are compared.
  let content: Range<Int>
  /// Whether the content is that of the table.
  private let readsStoredColumns: Bool
  /// Finds a row by its rowid, or by its key if there is none; nil before the first use.
  private var finder: Statement?

  /// - Parameter content: SQL for each column that is compared; nil for the columns of the table.
  init(_ table: LoggedTable, in connection: Connection, content: [String]? = nil) {
    self.table = table
    self.connection = connection
    let rowID = table.rowIDName.map { [$0] } ?? []
    let key = table.identity == .key ? table.keyColumns.names.map(\.quotedIdentifier) : []
    readsStoredColumns = content == nil
    let compared = content ?? table.columns.names.map(\.quotedIdentifier)
    list = (rowID + key + compared).joined(separator: ", ")
    let start = rowID.count + key.count
    self.content = start..<(start + compared.count)
    identity =
      switch table.identity {
      case .rowID: 0..<1
      case .key: rowID.count..<start
      case .content: self.content
      }
  }

  private var select: String { "SELECT \(list) FROM main.\(table.name.quotedIdentifier)" }

  /// All rows: in the order of their rowids, or of the bytes of their keys.
  func scan() throws -> Statement {
    let order =
      table.rowIDName
      ?? table.keyColumns.names.map { "\($0.quotedIdentifier) COLLATE BINARY" }
      .joined(separator: ", ")
    let sql = select + (order.isEmpty ? "" : " ORDER BY \(order)")
    return try connection.prepare(sql)
  }

  /// The statement that finds a row by its rowid, or by its key if there is none. It is kept with the connection.
  func lookUp() throws -> Statement {
    if let finder { return finder }
    let columns =
      table.rowIDName.map { [$0] } ?? table.keyColumns.names.map(\.quotedIdentifier)
    let conditions = columns.map { "\($0) = ?" }.joined(separator: " AND ")
    let sql = select + " WHERE " + conditions
    let statement = try connection.cachedStatement(sql)
    finder = statement
    return statement
  }

  /// Where a row is read again.
  ///
  /// - Parameter memory: for its values. Without enough of it, the row is looked up again.
  func place(of row: borrowing RowView, _ memory: inout RowMemory) -> LoggedTable.Place {
    if table.rowIDName == nil, !table.isWithoutRowID { return .values(row.values) }
    if readsStoredColumns, let values = memory.values(of: row) { return .values(values) }
    if table.rowIDName != nil { return .rowID(row.int64(at: 0)) }
    return .key(KeyTuple(packing: row, columns: identity, isExact: true))
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
      try statement.bind(rowID, at: 1)
      return try onlyRow(of: statement, RowIdentity([.integer(rowID)]))
    case .key(let key):
      let statement = try lookUp()
      statement.reset()
      try key.bind(to: statement, from: 1)
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

  /// The values of a row; nil without memory for them.
  mutating func values(of row: borrowing RowView) -> [Value]? {
    guard free > 0 else { return nil }
    let values = row.values
    for value in values {
      free -= MemoryLayout<Value>.stride
      switch value {
      case .text(let text): free -= text.utf8.count
      case .blob(let blob): free -= blob.count
      case .null, .integer, .real: break
      }
    }
    return values
  }
}

extension RowView {
  fileprivate var values: [Value] { (0..<count).map { value(at: $0) } }
}
