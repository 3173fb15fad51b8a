/// The rows that may differ between two versions of a database.
///
/// It is a superset: a row in it may be as it was, but a row that is not in it was not changed,
/// inserted or deleted. A row whose key changed is in it by its old key and by its new one.
///
/// ```swift
/// if case .rows(let touched) = before.changes(to: after) {
///   print(touched.rows(of: "track") ?? "no track was touched")
/// }
/// ```
///
/// Not in it are the rows of temporary tables, which only the writer sees. A virtual table is in it
/// as a whole when rows were touched in the tables that it stores its content in. Of the tables that
/// SQLite keeps for itself, such as `sqlite_sequence`, any row may always be touched.
public struct TouchedRows: Hashable, Sendable {
  /// The touched rows of one table.
  public enum Rows: Hashable, Sendable {
    /// The rows with these rowids.
    case rowIDs(Set<Int64>)
    /// The rows of a `WITHOUT ROWID` table with these keys, each with its columns in the order of
    /// the primary key.
    case keys(Set<[Value]>)
    /// Any row of the table.
    case all
  }

  /// The name of a table, with the ASCII letters folded that SQLite does not tell apart.
  struct Table: Hashable {
    let schema: String
    let name: String

    init(_ name: String, in schema: String) {
      self.name = name.sqliteFolded
      self.schema = schema.sqliteFolded
    }

    /// Whether SQLite keeps the table for itself. Its changes are not all told.
    var isInternal: Bool { name.hasPrefix("sqlite_") }
  }

  private(set) var tables: [Table: Rows] = [:]

  /// No rows.
  public init() {}

  /// Whether no row was touched.
  public var isEmpty: Bool { tables.isEmpty }

  /// The number of keys in it, of all tables together; nil where any row of some table may be
  /// touched.
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

  /// The touched rows of a table; nil where there are none.
  ///
  /// - Parameters:
  ///   - table: the name of the table, compared as SQLite does.
  ///   - schema: `main`, or the name of an attached database.
  public func rows(of table: String, in schema: String = "main") -> Rows? {
    let table = Table(table, in: schema)
    return table.isInternal ? .all : tables[table]
  }

  /// The rows in either.
  ///
  /// Complexity: O(rows in both).
  public func union(_ other: TouchedRows) -> TouchedRows {
    var result = self
    result.formUnion(other)
    return result
  }

  /// Adds the rows of `other`.
  ///
  /// Complexity: O(rows in the smaller one), where nobody else holds the greater one.
  public mutating func formUnion(_ other: TouchedRows) {
    if tables.isEmpty {
      tables = other.tables
      return
    }
    for (table, rows) in other.tables { insert(rows, of: table) }
  }

  /// Adds rows of one table.
  mutating func insert(_ rows: Rows, of table: Table) {
    // Taking the set out of the dictionary first makes this its one holder: nothing is copied.
    guard let present = tables.updateValue(.all, forKey: table) else {
      tables[table] = rows.limited
      return
    }
    tables[table] = present.union(rows).limited
  }

  /// How many rows of a table are told apart. Beyond it looking at all of them is cheaper than
  /// asking for each: a point query in two versions takes a hundred times as long as a row of a
  /// scan. It also bounds the memory that a bulk load takes.
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

  /// The rows in either; the smaller set is added to the greater.
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
      // One of them is everything, or the table was made anew in another form.
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
