import FetchedResults
import SQLiteStorage

/// Where rows come from, and the columns they have.
struct RowSource {
  /// All rows that fulfil the condition.
  let request: FetchRequest<Row>
  /// The names of the columns to print.
  let columns: [String]
  /// What messages call the source.
  private let name: String
  /// The columns that can be named, with a rowid that has no other name.
  private let knownColumns: [String]

  /// Looks a source up.
  ///
  /// - Parameters:
  ///   - select: the SELECT that is the source, if there is one; else it is `argument`.
  ///   - condition: which of its rows.
  /// - Throws: `DatabaseError` where a SELECT is none, `FetchError` of code `.noSuchTable`.
  init(
    _ select: String?, or argument: String, where condition: String?, in connection: Connection
  ) throws {
    if select == nil, let table = try connection.table(named: argument) {
      self = try RowSource(table, where: condition, in: connection)
    } else if let sql = select ?? (argument.contains(where: \.isWhitespace) ? argument : nil) {
      _ = try connection.readRegion(of: sql)
      self.init(
        FetchRequest(select: sql).filtered(by: condition), name: "the SELECT",
        columns: try connection.prepare(sql).columnNames.names)
    } else {
      throw FetchError.noSuchTable(argument, in: try connection.tables())
    }
  }

  private init(
    _ table: TableDescription, where condition: String?, in connection: Connection
  ) throws {
    let columns = table.columns.map(\.name)
    guard try connection.hasKey(table) else {
      // Its rows are read from a copy. The condition is for the original, where MATCH works.
      let sql = "SELECT * FROM \(table.sql)" + (condition.map { " WHERE (\($0)\n)" } ?? "")
      self.init(FetchRequest(select: sql), name: table.name, columns: columns)
      return
    }
    self.init(
      FetchRequest(table: table.name).filtered(by: condition), name: table.name, columns: columns,
      key: table.key)
  }

  private init(
    _ request: FetchRequest<Row>, name: String, columns: [String], key: [String] = []
  ) {
    self.request = request
    self.name = name
    self.columns = columns
    knownColumns = columns + key
  }
}

// MARK: - Columns

extension RowSource {
  /// The columns in a list separated by commas, as the source spells them.
  func columns(in list: String) throws -> [String] {
    try split(list, column(named:)) { noSuchColumn($0) }
  }

  private func column(named name: String) -> String? {
    let names = [name.sqliteFolded, name.trimmed.sqliteFolded]
    return knownColumns.first { names.contains($0.sqliteFolded) }
  }

  /// Takes a list apart at its commas, but not at those inside a column's name.
  private func split<Item>(
    _ list: String, _ item: (String) -> Item?, error: (String) -> any Error
  ) throws -> [Item] {
    var rest = list.split(separator: ",", omittingEmptySubsequences: false)[...]
    var items: [Item] = []
    while let first = rest.first {
      let lengths = stride(from: rest.count, to: 0, by: -1)
      let found = lengths.lazy.compactMap { length in
        item(rest.prefix(length).joined(separator: ",")).map { (item: $0, length: length) }
      }.first
      guard let found else { throw error(first.trimmed) }
      items.append(found.item)
      rest = rest.dropFirst(found.length)
    }
    return items
  }

  private func noSuchColumn(_ column: String) -> FetchError {
    FetchError(
      .noSuchColumn, "there is no column \(column.quotedIfBlank) in \(name)",
      nextStep: "The columns are: \(columns.listed)")
  }
}

// MARK: - Order

extension RowSource {
  /// The terms of a list separated by commas.
  func sortTerms(in list: String) throws -> [SortTerm<Row>] {
    try split(list, sortTerm) { text in
      let (name, option) = SortSuffixes.splitLast(of: text)
      guard let option, sortTerm(name) != nil else {
        return noSuchColumn(SortSuffixes(text) { _ in false }.name)
      }
      return UsageError(
        description: "--sort \(text): \(option.quotedIfBlank) is none of "
          + SortSuffixes.all.joined(separator: ", "))
    }
  }

  private func sortTerm(_ text: String) -> SortTerm<Row>? {
    let suffixes = SortSuffixes(text) { column(named: $0) != nil }
    return column(named: suffixes.name).map { column in
      .by(
        \Row[column], suffixes.direction, collation: suffixes.collation, nulls: suffixes.nulls)
    }
  }

  /// What makes the sections: a column where the text can be one, else an expression.
  ///
  /// - Parameter sorts: the arguments of `--sort`. Where the first of them sorts by an expression
  ///   of the same spelling, it says how the sections are sorted, and is taken out.
  func sectionKey(_ text: String, sortedBy sorts: inout ArraySlice<String>) throws -> SectionKey<Row>
  {
    if let column = column(named: text) { return .property(\Row[column]) }
    guard text.contains(where: { !$0.isLetter && !$0.isNumber && $0 != "_" }) else {
      throw noSuchColumn(text)
    }
    let suffixes = sorts.first.map { SortSuffixes($0) { $0 == text } }
    guard let suffixes, suffixes.name == text else { return .expression(SQLFragment(sql: text)) }
    sorts.removeFirst()
    return .expression(
      SQLFragment(sql: text), suffixes.direction, collation: suffixes.collation,
      nulls: suffixes.nulls)
  }
}

extension FetchRequest {
  fileprivate func filtered(by condition: String?) -> FetchRequest {
    condition.map { filter(SQLFragment(sql: $0)) } ?? self
  }
}

extension Connection {
  /// Whether every row of a table has a key.
  fileprivate func hasKey(_ table: TableDescription) throws -> Bool {
    guard !table.key.isEmpty else { return false }
    // Only a table with a rowid takes NULL in its primary key, where it is no integer.
    if table.isKeyRowID || table.isWithoutRowID { return true }
    let isMissing = table.key.map { "\($0.quotedIdentifier) IS NULL" }.joined(separator: " OR ")
    return try value(Int.self, "SELECT 1 FROM \(table.sql) WHERE \(isMissing) LIMIT 1") == nil
  }
}

extension TableDescription {
  fileprivate var sql: String { "\(schema.quotedIdentifier).\(name.quotedIdentifier)" }
}
