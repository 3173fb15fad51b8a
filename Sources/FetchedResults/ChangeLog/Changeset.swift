internal import SQLiteStorage

extension DatabaseChanges {
  /// The changes in the binary format of SQLite's session extension, which `sqlite3changeset_apply`, `_invert` and `_concat`
  /// of any language read.
  ///
  /// Complexity: as ``forEachRow(_:)``, and memory for all changed values.
  ///
  /// Source: [The Session Extension](https://www.sqlite.org/sessionintro.html), and the comments in `sqlite3session.c`.
  ///
  /// - Throws: `FetchError` with code `.missingKey` if a table has no primary key, which the format needs; `.invalidKey` if a
  ///   value of a key is `NULL`; `.incomparable` if the columns or the key of a table have changed. The errors of
  ///   ``forEachRow(_:)``.
  public func changeset() throws -> [UInt8] {
    var writer = ChangesetWriter()
    try forEachRow { try writer.append($0) }
    return writer.bytes
  }
}

/// Writes changes of rows as a changeset. Those of one table follow each other.
private struct ChangesetWriter {
  private(set) var bytes: [UInt8] = []
  private var table: ExactText?
  /// The columns of the table and of its key, which all of its rows must have.
  private var columns: ColumnNames?
  private var key: ColumnNames?
  /// For each column of the table, whether it is one of the key.
  private var isKey: [Bool] = []

  private enum Operation {
    static let delete: UInt8 = 9
    static let insert: UInt8 = 18
    static let update: UInt8 = 23
  }

  mutating func append(_ change: TableRowChange) throws {
    if table != change.table.exact { try beginTable(of: change) }
    guard isSame(columns, as: change.old?.columnNames),
      isSame(columns, as: change.new?.columnNames), isSame(key, as: change.key.columnNames)
    else {
      throw FetchError(
        .incomparable, "the columns or the key of \(change.table) have changed",
        nextStep: "A changeset cannot say that. Copy the table")
    }
    guard !change.key.values.contains(.null) else {
      throw FetchError(
        .invalidKey,
        "a row of \(change.table) has NULL in its key, by which a changeset finds no row",
        nextStep: "Leave the table out")
    }
    switch (change.old, change.new) {
    case (nil, let new?): append(Operation.insert, new.values)
    case (let old?, nil): append(Operation.delete, old.values)
    case (let old?, let new?):
      bytes += [Operation.update, 0]
      for (column, value) in old.values.enumerated() {
        append(isKey[column] || value != new.values[column] ? value : Value?.none)
      }
      for (column, value) in new.values.enumerated() {
        append(!isKey[column] && value != old.values[column] ? value : Value?.none)
      }
    case (nil, nil): return
    }
  }

  /// Whether the names are those of a row; true if there is none. Most rows of a table share one object.
  private func isSame(_ names: ColumnNames?, as others: ColumnNames?) -> Bool {
    names === others || others.map { $0.names.exact == names?.names.exact } ?? true
  }

  private mutating func beginTable(of change: TableRowChange) throws {
    let columns = (change.new ?? change.old)?.columnNames
    var positions = columns?.names.map { _ in UInt8(0) } ?? []
    for (number, name) in change.key.columnNames.names.enumerated() {
      guard let position = columns?.position(of: name) else {
        positions = []
        break
      }
      positions[position] = UInt8(clamping: number + 1)
    }
    guard positions.contains(where: { $0 > 0 }) else {
      throw FetchError(
        .missingKey, "\(change.table) has no primary key, which a changeset needs",
        nextStep: "Leave the table out")
    }
    table = change.table.exact
    self.columns = columns
    key = change.key.columnNames
    isKey = positions.map { $0 > 0 }
    bytes.append(UInt8(ascii: "T"))
    append(varint: positions.count)
    bytes += positions
    bytes += Array(change.table.utf8) + [0]
  }

  private mutating func append(_ operation: UInt8, _ values: [Value]) {
    bytes += [operation, 0]
    for value in values { append(value) }
  }

  private mutating func append(_ value: Value?) {
    switch value {
    // Not `nil`, which would be `NULL`.
    case .none: bytes.append(0)
    case .integer(let number):
      bytes.append(1)
      append(bigEndian: UInt64(bitPattern: number))
    case .real(let number):
      bytes.append(2)
      append(bigEndian: number.bitPattern)
    case .text(let text):
      bytes.append(3)
      append(varint: text.utf8.count)
      bytes += text.utf8
    case .blob(let blob):
      bytes.append(4)
      append(varint: blob.count)
      bytes += blob
    case .null: bytes.append(5)
    }
  }

  private mutating func append(bigEndian number: UInt64) {
    withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
  }

  /// Appends a number of at most 56 bits, in groups of 7 bits, the highest first.
  private mutating func append(varint number: Int) {
    var groups = [UInt8(number & 0x7F)]
    var rest = number >> 7
    while rest > 0 {
      groups.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    bytes += groups.reversed()
  }
}
