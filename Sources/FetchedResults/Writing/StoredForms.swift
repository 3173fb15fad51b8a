internal import SQLiteStorage

/// What a row stores in other forms than its record writes, and keeps when the record is written: its key, and the
/// values that did not change. A foreign key, for example, refers to a row by what is stored.
///
/// Sendable: a plain value.
struct StoredForms: Sendable {
  /// How keys may be stored; nil if each has one form only.
  let key: KeySpellings?
  /// The written columns whose values may have several forms, with their positions in what is written of a record.
  private let columns: [(name: String, position: Int, spelling: Spelling)]

  init<Record>(
    _ description: RecordDescription<Record>, _ table: WrittenTable,
    _ columns: [InsertStatements.WrittenColumn]
  ) {
    key = table.keySpellings(description)
    self.columns = columns.compactMap { column in
      guard !column.isKey, let spelling = description.spelling(ofColumn: column.name) else {
        return nil
      }
      return (column.name, column.position, spelling)
    }
  }

  /// Whether a row can only store what its record writes.
  var isEmpty: Bool { key == nil && columns.isEmpty }

  /// Replaces values that are stored in another form by what is stored.
  ///
  /// - Parameters:
  ///   - written: the values of a record, by their positions.
  ///   - identity: the key that the record writes.
  /// - Returns: the key that is stored; nil if there is no such row.
  func keep(
    in written: inout [Int: Value], _ identity: RowIdentity, of table: WrittenTable,
    _ connection: Connection
  ) throws -> RowIdentity? {
    let kept = columns.filter { written[$0.position] != nil }
    let names = kept.map(\.name)
    var found = identity
    var row = try table.row(identity, columns: names, in: connection)
    if row == nil, let stored = try storedIdentity(of: identity, in: table, connection) {
      found = stored
      row = try table.row(stored, columns: names, in: connection)
    }
    guard let row else { return nil }
    for (column, value) in zip(kept, row) {
      guard let new = written[column.position], column.spelling.isKept(value, new) else { continue }
      written[column.position] = value
    }
    return found
  }

  /// The key of the row that stores a key in another form; nil if there is none.
  func storedIdentity(
    of identity: RowIdentity, in table: WrittenTable, _ connection: Connection
  ) throws -> RowIdentity? {
    try key?.storedIdentity(of: identity, in: BoundSQL(table.sql), connection)
  }
}
