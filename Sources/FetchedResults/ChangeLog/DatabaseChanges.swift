public import SQLiteStorage

/// What has changed in the tables of a database from one version to a later one: an element of ``ChangeLog``.
///
/// ```swift
/// for try await changes in database.changes() {
///   try changes.forEachRow { print($0.table, $0.kind, $0.key, $0.changedColumns) }
/// }
/// ```
///
/// The changes are net: if several transactions led to the new version, a row is told once, and a row that is as it was is
/// not told. A row whose key has changed is deleted and inserted. The order of the transactions' statements is not known;
/// tables are in order of their names.
///
/// Rows are read when you ask for them, from both versions, which are kept until the value is gone. While it is kept, the
/// write-ahead log cannot be reset: release it before you wait for the next one, or keep ``rows()``.
///
/// Sendable: any thread may read.
public struct DatabaseChanges: Sendable {
  /// Why the log could not tell what happened; nil if it could.
  public private(set) var gap: ChangeGap?
  /// The tables, indexes, views and triggers that begin, end, or are defined in another way.
  public private(set) var schemaChanges: [SchemaChange]
  /// The virtual tables, whose rows are not told; empty but in the first element, and after the schema has changed.
  public internal(set) var omittedTables: [String]
  /// The number of transactions since the element before; nil if it is not known, as for a file that is not in WAL mode.
  ///
  /// It has those that are not told, because they have changed other tables, or nothing.
  public internal(set) var commitCount: Int?
  let tables: [ChangedTable]
  /// The versions; the old one is nil if it was lost.
  private let versions: (old: LoggedVersion?, new: LoggedVersion)
  /// Whether they lead back to the old version.
  private var isInverted = false

  struct ChangedTable: Sendable {
    let pair: LoggedTablePair
    let rows: [LoggedRow]

    /// The name in the version to which the changes lead.
    func name(isInverted: Bool) -> String {
      let (from, to) = isInverted ? (pair.new, pair.old) : (pair.old, pair.new)
      return to?.name ?? from?.name ?? ""
    }
  }

  init(
    from old: LoggedVersion?, to new: LoggedVersion, gap: ChangeGap?,
    schemaChanges: [SchemaChange] = [], omittedTables: [String] = [], tables: [ChangedTable] = []
  ) {
    versions = (old, new)
    self.gap = gap
    self.schemaChanges = schemaChanges
    self.omittedTables = omittedTables
    self.tables = tables
  }

  /// Whether there is anything to tell: two versions that were compared and do not differ are no gap.
  var isTold: Bool { !tables.isEmpty || !schemaChanges.isEmpty || gap?.isBridged == false }

  /// The number of changed rows.
  public var count: Int { tables.reduce(0) { $0 + $1.rows.count } }

  /// The names of the tables with changed rows, in order.
  public var tableNames: [String] { tables.map { $0.name(isInverted: isInverted) } }

  /// The newer version, from which anything else can be read.
  public var databaseSnapshot: Snapshot { versions.new.snapshot }

  /// Runs `body` with a connection that sees the newer version, also if its snapshot has expired and was copied.
  package func withNewVersion<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try versions.new.read(body)
  }

  /// The changes that lead back, for `connection.apply(changes)`.
  public func inverted() -> DatabaseChanges {
    var inverted = self
    inverted.isInverted.toggle()
    var formerTables: [ExactText: String] = [:]
    for change in schemaChanges where change.object == .table {
      formerTables[change.name.sqliteFolded] = change.oldName
    }
    inverted.schemaChanges = schemaChanges.reversed().map { $0.inverted(formerTables) }
    return inverted
  }
}

extension DatabaseChanges {
  /// Calls `body` with each changed row, table by table.
  ///
  /// Complexity: O(changed rows) look-ups, one after the other; the rows are not kept.
  ///
  /// - Parameter body: must not read ``databaseSnapshot``, which is in use.
  /// - Throws: what `body` throws; `DatabaseError`, with code `.versionExpired` if the database was suspended or closed.
  public func forEachRow(_ body: (TableRowChange) throws -> Void) throws {
    guard let old = versions.old, !tables.isEmpty else { return }
    try old.read(with: versions.new) { oldConnection, newConnection in
      for table in tables {
        let oldReader = table.pair.old.map { LoggedTableReader($0, in: oldConnection) }
        let newReader = table.pair.new.map { LoggedTableReader($0, in: newConnection) }
        for row in table.rows {
          let old = try row.old.flatMap { try oldReader?.read($0) }
          let new = try row.new.flatMap { try newReader?.read($0) }
          guard let key = new?.key ?? old?.key else { continue }
          let change = TableRowChange(
            table: table.name(isInverted: isInverted), key: key, old: old?.values,
            new: new?.values)
          try body(isInverted ? change.inverted : change)
        }
      }
    }
  }

  /// The changed rows, copied: they need no version of the database.
  ///
  /// Complexity: as ``forEachRow(_:)``, and memory for all changed rows.
  ///
  /// - Throws: the errors of ``forEachRow(_:)``.
  public func rows() throws -> [TableRowChange] {
    var rows: [TableRowChange] = []
    rows.reserveCapacity(count)
    try forEachRow { rows.append($0) }
    return rows
  }
}

/// A row of a table that was inserted, updated or deleted.
///
/// Sendable: a plain value.
public struct TableRowChange: Hashable, Sendable {
  /// What has happened to a row.
  public enum Kind: String, Sendable { case insert, update, delete }

  /// The name of the table; the new one if it was renamed.
  public let table: String
  /// The columns of the primary key with their values; the rowid if there is none. Empty if columns hide the rowid too: then
  /// rows are matched by their content, and there are no updates.
  public let key: Row
  /// The row as it was; nil if it was inserted. Generated columns are left out.
  public let old: Row?
  /// The row as it is; nil if it was deleted. Generated columns are left out.
  public let new: Row?

  /// What has happened to the row.
  public var kind: Kind { old == nil ? .insert : new == nil ? .delete : .update }

  /// The change that leads back.
  public var inverted: TableRowChange { TableRowChange(table: table, key: key, old: new, new: old) }

  /// The columns whose values differ; all columns of a row that was inserted or deleted.
  public var changedColumns: [String] {
    guard let old, let new else { return (new ?? old)?.columnNames.names ?? [] }
    return zip(new.columnNames.names, new.values).compactMap { name, value in
      guard let position = old.columnNames.position(of: name) else { return name }
      return old.values[position] == value ? nil : name
    }
  }

  /// The value of a column in ``old``; `NULL` if the row, or the column, was not there.
  public func oldValue(of column: String) -> Value { TableRowChange.value(of: column, in: old) }

  /// The value of a column in ``new``; `NULL` if the row, or the column, is not there any more.
  public func newValue(of column: String) -> Value { TableRowChange.value(of: column, in: new) }

  private static func value(of column: String, in row: Row?) -> Value {
    guard let row, let position = row.columnNames.position(of: column) else { return .null }
    return row.values[position]
  }
}

/// Why a change log could not tell from the write-ahead log what happened between two versions.
///
/// It is so if the log was reset or another file took its place before it was read, after `VACUUM`, and always for files that
/// are not in WAL mode or have others attached.
///
/// Sendable: a plain value.
public struct ChangeGap: Hashable, Sendable {
  /// The reason in words.
  public let reason: String
  /// Whether both versions were compared, so that nothing is missing. Otherwise the old one was lost: what has changed since
  /// is not told, and who keeps a copy reads everything again.
  public let isBridged: Bool

  package init(reason: String, isBridged: Bool) {
    self.reason = reason
    self.isBridged = isBridged
  }
}

/// A change of the schema: an entry of SQLite's schema table begins, ends, or has another definition.
///
/// Rows of a table that begins are told as inserted, those of one that ends as deleted. Of a table whose columns have changed,
/// the rows are told whose values differ, with the default as the old value of a new column. A table whose key has
/// changed ends and begins. If a table is dropped and one with the same definition is created in the same step, they may be
/// told as one table that was renamed, with the rows that differ.
///
/// Sendable: a plain value.
public struct SchemaChange: Hashable, Sendable {
  /// What has happened to the entry.
  public enum Kind: String, Sendable { case created, altered, renamed, dropped }

  /// What the entry is.
  public enum Object: String, Sendable { case table, index, view, trigger }

  /// What has happened.
  public let kind: Kind
  /// What the entry is.
  public let object: Object
  /// The name; the new one if it was renamed.
  public let name: String
  /// The name before; nil unless a table was renamed.
  public let oldName: String?
  /// The table to which the entry belongs; for a table or a view its own name.
  public let table: String
  /// The SQL that defined it; nil if it was created.
  public let oldSQL: String?
  /// The SQL that defines it; nil if it was dropped.
  public let newSQL: String?
}

extension SchemaChange {
  /// - Parameter formerTables: the old names of renamed tables, by their new names.
  fileprivate func inverted(_ formerTables: [ExactText: String]) -> SchemaChange {
    let kind: Kind =
      switch kind {
      case .created: .dropped
      case .dropped: .created
      case .altered, .renamed: self.kind
      }
    // What is in one version only has the table of that version.
    let former = oldSQL == nil || newSQL == nil ? nil : formerTables[table.sqliteFolded]
    return SchemaChange(
      kind: kind, object: object, name: oldName ?? name, oldName: oldName.map { _ in name },
      table: former ?? table, oldSQL: newSQL, newSQL: oldSQL)
  }
}
