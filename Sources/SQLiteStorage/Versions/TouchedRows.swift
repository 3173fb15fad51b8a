/// The rows that may differ between two versions of a database, if they are known.
///
/// *Touched* is not *changed*: a touched row may be equal in both versions.
package enum Touched: Hashable, Sendable {
  /// Only these rows may differ.
  case rows(TouchedRows)
  /// Any row may differ.
  case unknown(Reason)

  /// Why the rows that differ are not known, in words.
  package struct Reason: Hashable, Sendable, CustomStringConvertible {
    /// The reason in words.
    package let description: String
    /// Whether comparing the pages of the two versions may find the rows.
    let isToldByPages: Bool

    private init(_ description: String, isToldByPages: Bool = false) {
      self.description = description
      self.isToldByPages = isToldByPages
    }

    /// A table, index, view or trigger was created, changed or dropped, or `VACUUM` ran.
    package static let schemaChanged = Reason("the schema has changed", isToldByPages: true)
    package static let otherWriter = Reason(
      "another connection or process may have written", isToldByPages: true)
    /// A transaction began before the older snapshot was made, and was committed after it. While no
    /// snapshot is held, changes are not recorded.
    package static let unobservedTransaction = Reason(
      "a transaction began before the older snapshot was made", isToldByPages: true)
    /// Other connections committed so fast that one of the two versions could not be identified.
    package static let storm = Reason(
      "other connections committed too fast to tell two versions apart", isToldByPages: true)
    /// The SQLite library does not report which rows are written.
    package static let noHook = Reason(
      "this SQLite was built without SQLITE_ENABLE_PREUPDATE_HOOK", isToldByPages: true)
    /// The file is in rollback-journal mode, or written in place.
    package static let notInWALMode = Reason("the database is not in WAL mode", isToldByPages: true)
    /// The version of several files is not identified by one header.
    package static let hasAttachedFiles = Reason("another database is attached")
    /// Text is not always read as it was written.
    package static let storesUTF16 = Reason("the database stores text in UTF-16")
    package static let unrelated = Reason("the snapshots are of different databases")
    package static let notNewer = Reason("the other snapshot is the older one")
    /// Another connection wrote, and the pages with its changes could not be read.
    package static let logUnreadable = Reason("the pages in the write-ahead log could not be read")
    /// Another connection wrote, and a page does not follow the file format: the file is encrypted
    /// or damaged.
    package static let pageMalformed = Reason(
      "a page of the database does not follow the file format")
    /// Another connection changed a part of a row that is longer than a page, and no page
    /// identifies the row.
    package static let longRowChanged = Reason("a row longer than a page was changed in the middle")
    /// Another connection wrote so much that comparing all rows costs less than finding the changed
    /// ones.
    package static let tooManyPages = Reason(
      "so much was written that comparing all rows costs less")
  }
}

extension Touched {
  static var none: Touched { .rows(TouchedRows()) }

  /// Adds later changes.
  mutating func formUnion(_ later: Touched) {
    guard case .rows(var rows) = self else { return }
    // Released first: with a second reference, adding to the rows would copy all of them.
    self = later
    guard case .rows(let others) = later else { return }
    rows.formUnion(others)
    self = .rows(rows)
  }
}

/// The rows that may differ between two versions of a database.
///
/// This is a superset: a row in it may be unchanged, but a row not in it was not updated, inserted
/// or deleted. A row whose key changed is in it with the old and the new key.
///
/// ```swift
/// if case .rows(let touched) = before.detectedChanges(to: after).touched {
///   print(touched.rows(of: "track") ?? "no track was touched")
/// }
/// ```
///
/// Rows of temporary tables are not included: only the writer sees them. A virtual table is
/// included as a whole if rows of the tables that store its content were touched. Any row of
/// SQLite's internal tables, such as `sqlite_sequence`, counts as touched.
package struct TouchedRows: Hashable, Sendable {
  package enum Rows: Hashable, Sendable {
    /// The rows with these rowids.
    case rowIDs(Set<Int64>)
    /// The rows of a `WITHOUT ROWID` table with these keys. A key has its columns in the order of
    /// the primary key.
    case keys(Set<[Value]>)
    /// Any row of the table.
    case all
  }

  /// The name of a table, with ASCII letters in lower case, since SQLite ignores their case.
  package struct Table: Hashable, Sendable {
    let schema: ExactText
    let name: ExactText
    /// Whether the table is one of SQLite's internal tables, whose changes are not all reported.
    let isInternal: Bool

    /// - Parameter schema: `main`, or the name of an attached database.
    package init(_ name: String, in schema: String) {
      self.name = name.sqliteFolded
      self.schema = schema.sqliteFolded
      isInternal = self.name.hasPrefix("sqlite_")
    }
  }

  private(set) var tables: [Table: Rows] = [:]

  package init() {}

  /// The touched rows of a table; nil if there are none.
  ///
  /// - Parameters:
  ///   - table: the name of the table, compared as SQLite does.
  ///   - schema: `main`, or the name of an attached database.
  package func rows(of table: String, in schema: String = "main") -> Rows? {
    rows(of: Table(table, in: schema))
  }

  /// The touched rows of a table; nil if there are none.
  package func rows(of table: Table) -> Rows? { table.isInternal ? .all : tables[table] }

  /// Adds the rows of `other`.
  ///
  /// Complexity: O(rows in the smaller set), if the larger set has no other reference.
  package mutating func formUnion(_ other: TouchedRows) {
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
  package var count: Int? {
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

extension TouchedRows {
  /// Checks that each table has rows, but not too many, with keys of one length, and that none of
  /// the tables is internal.
  ///
  /// - Complexity: O(rows).
  func checkInvariants() throws {
    for (table, rows) in tables {
      try BrokenInvariant.check(!table.isInternal, "internal table \(table.name)")
      if let count = rows.count {
        try BrokenInvariant.check(
          (1...TouchedRows.rowLimit).contains(count), "\(count) rows of \(table.name)")
      }
      if case .keys(let keys) = rows {
        let lengths = Set(keys.map(\.count))
        try BrokenInvariant.check(
          lengths.count == 1, "keys of \(lengths.sorted()) columns in \(table.name)")
      }
    }
  }
}

extension TouchedRows: CustomStringConvertible {
  /// The number of rows of each table, such as `main.track: 3, main.album: all`.
  package var description: String {
    tables.map { table, rows in
      "\(table.schema).\(table.name): \(rows.count.map(String.init) ?? "all")"
    }.sorted().joined(separator: ", ")
  }
}
