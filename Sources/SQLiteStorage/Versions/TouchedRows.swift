/// The rows that may differ between two versions of a database.
///
/// This is a superset: a row in it may be unchanged, but a row not in it was not updated, inserted
/// or deleted. A row whose key changed is in it with the old and the new key.
///
/// ```swift
/// if case .rows(let touched) = before.changes(to: after) {
///   print(touched.rows(of: "track") ?? "no track was touched")
/// }
/// ```
///
/// Rows of temporary tables are not included: only the writer sees them. A virtual table is
/// included as a whole if rows of the tables that store its content were touched. Any row of
/// SQLite's internal tables, such as `sqlite_sequence`, counts as touched.
public struct TouchedRows: Hashable, Sendable {
  /// The touched rows of one table.
  public enum Rows: Hashable, Sendable {
    /// The rows with these rowids.
    case rowIDs(Set<Int64>)
    /// The rows of a `WITHOUT ROWID` table with these keys. A key has its columns in the order of
    /// the primary key.
    case keys(Set<[Value]>)
    /// Any row of the table.
    case all
  }

  /// The name of a table, with ASCII letters in lower case, since SQLite ignores their case.
  struct Table: Hashable {
    let schema: String
    let name: String

    init(_ name: String, in schema: String) {
      self.name = name.sqliteFolded
      self.schema = schema.sqliteFolded
    }

    /// Whether the table is one of SQLite's internal tables, whose changes are not all reported.
    var isInternal: Bool { name.hasPrefix("sqlite_") }
  }

  private(set) var tables: [Table: Rows] = [:]

  /// No rows.
  public init() {}

  /// Whether no row was touched.
  public var isEmpty: Bool { tables.isEmpty }

  /// The number of keys in all tables together; nil if any row of some table may be touched.
  ///
  /// Complexity: O(tables touched).
  public var count: Int? {
    var count = 0
    for rows in tables.values {
      guard let number = rows.count else { return nil }
      count += number
    }
    return count
  }

  /// The touched rows of a table; nil if there are none.
  ///
  /// - Parameters:
  ///   - table: the name of the table, compared as SQLite does.
  ///   - schema: `main`, or the name of an attached database.
  public func rows(of table: String, in schema: String = "main") -> Rows? {
    let table = Table(table, in: schema)
    return table.isInternal ? .all : tables[table]
  }

  /// The union of both sets of rows.
  ///
  /// Complexity: O(rows in both).
  public func union(_ other: TouchedRows) -> TouchedRows {
    var result = self
    result.formUnion(other)
    return result
  }

  /// Adds the rows of `other`.
  ///
  /// Complexity: O(rows in the smaller set), if the larger set has no other reference.
  public mutating func formUnion(_ other: TouchedRows) {
    if tables.isEmpty {
      tables = other.tables
      return
    }
    for (table, rows) in other.tables { insert(rows, of: table) }
  }

  /// Adds rows of one table.
  mutating func insert(_ rows: Rows, of table: Table) {
    // Taking the set out of the dictionary first makes this the only reference, so it is not
    // copied.
    guard let present = tables.updateValue(.all, forKey: table) else {
      tables[table] = rows.limited
      return
    }
    tables[table] = present.union(rows).limited
  }

  /// The maximum number of rows of a table that are recorded one by one. Beyond it, reading all
  /// rows is cheaper: a point query in two versions takes a hundred times as long as a row of a
  /// scan. The limit also bounds the memory for a bulk load.
  static var rowLimit: Int { 1 << 20 }
}

extension TouchedRows.Rows {
  /// The number of keys; nil for ``all``.
  public var count: Int? {
    switch self {
    case .rowIDs(let rowIDs): rowIDs.count
    case .keys(let keys): keys.count
    case .all: nil
    }
  }

  /// The union of both sets of rows; the smaller set is added to the larger.
  fileprivate consuming func union(_ other: consuming Self) -> Self {
    switch (self, other) {
    case (.rowIDs(var greater), .rowIDs(var smaller)):
      if greater.count < smaller.count { swap(&greater, &smaller) }
      greater.formUnion(smaller)
      return .rowIDs(greater)
    case (.keys(var greater), .keys(var smaller)):
      if greater.count < smaller.count { swap(&greater, &smaller) }
      greater.formUnion(smaller)
      return .keys(greater)
    default:
      // One is `.all`, or the table was recreated in another form.
      return .all
    }
  }

  fileprivate var limited: Self { (count ?? 0) > TouchedRows.rowLimit ? .all : self }
}

extension TouchedRows: CustomStringConvertible {
  /// The number of rows of each table, such as `main.track: 3, main.album: all`.
  public var description: String {
    tables.map { table, rows in
      "\(table.schema).\(table.name): \(rows.count.map(String.init) ?? "all")"
    }.sorted().joined(separator: ", ")
  }
}
