internal import CLibrary
internal import CSQLite

/// Records the rows that one transaction changes, as SQLite's preupdate hook reports them.
///
/// Not Sendable: it belongs to the writer connection.
final class TouchRecorder {
  private let hook: PreupdateHook
  /// All tables seen so far, including those that are not in the schema.
  private var tables: [TouchedTable] = []
  private var touchedTables: [TouchedTable] = []
  private var lastTable: TouchedTable?
  /// Whether something was changed while no snapshot was held, and so was not recorded.
  private var isIncomplete = false

  init(hook: PreupdateHook) { self.hook = hook }

  /// The number of tables that are known, for tests.
  var tableCount: Int { tables.count }

  /// Sets the schema. The recorder must be empty.
  func use(_ schema: CapturedSchema) {
    tables = schema.tables.map { table in
      TouchedTable(
        table.name, in: "main", identity: table.identity,
        owner: table.owner.map { TouchedRows.Table($0, in: "main") })
    }
    lastTable = nil
  }

  /// Records that rows change, but not which.
  func recordUnobserved() { isIncomplete = true }

  /// Records one change. SQLite calls this during the change, so no SQL may run here.
  func record(
    operation: Int32, schema: UnsafePointer<CChar>, table: UnsafePointer<CChar>, oldRowID: Int64,
    newRowID: Int64, handle: OpaquePointer
  ) {
    // Temporary tables are visible to the writer only. Their names would stay in `tables` when they are dropped.
    if strcmp(schema, "temp") == 0 { return }
    let table = self.table(named: table, in: schema)
    guard let identity = table.identity else { return }
    if !table.isTouched {
      table.isTouched = true
      touchedTables.append(table)
    }
    if table.isTouchedAsAWhole { return }
    switch identity {
    case .rowID:
      if operation != SQLITE_INSERT { table.insert(oldRowID) }
      if operation != SQLITE_DELETE, newRowID != oldRowID || operation == SQLITE_INSERT {
        table.insert(newRowID)
      }
    case .key(let answers):
      // The old key, and the new key.
      if operation != SQLITE_INSERT {
        insertKeys(answers, hook.oldValue, handle, into: table, areOld: true)
      }
      if operation != SQLITE_DELETE, !table.isTouchedAsAWhole {
        insertKeys(answers, hook.newValue, handle, into: table)
      }
    case .unknown:
      table.touchAsAWhole()
    }
  }

  /// Returns what was recorded since the last call, and discards it.
  func take() -> Touched {
    defer { discard() }
    if isIncomplete { return .unknown(.unobservedTransaction) }
    var touched = TouchedRows()
    for table in touchedTables {
      touched.insert(table.rows, of: table.table)
      if let owner = table.owner { touched.insert(.all, of: owner) }
    }
    return .rows(touched)
  }

  func discard() {
    for table in touchedTables { table.clear() }
    touchedTables.removeAll(keepingCapacity: true)
    isIncomplete = false
  }

  /// Records a key that the hook reads, the key of an old row in both forms that it may have.
  private func insertKeys(
    _ answers: [[KeyColumn]], _ read: PreupdateHook.ReadValue,
    _ handle: OpaquePointer, into table: TouchedTable, areOld: Bool = false
  ) {
    var isRead = false
    for columns in answers {
      var key: [Value] = []
      key.reserveCapacity(columns.count)
      for column in columns {
        var value: OpaquePointer?
        guard read(handle, Int32(column.position), &value) == SQLITE_OK, let value else { break }
        let element = Value(argument: value)
        // Text that is not valid UTF-8 is read with U+FFFD, so its key is not known.
        if case .text(let text) = element, text.unicodeScalars.contains("\u{FFFD}") {
          return table.touchAsAWhole()
        }
        key.append(column.returned(element))
      }
      guard key.count == columns.count else { continue }
      if areOld {
        let other = zip(columns, key).compactMap { $0.unconverted($1) }
        guard other.count == key.count else { return table.touchAsAWhole() }
        if other != key { table.insert(other) }
      }
      table.insert(key)
      isRead = true
    }
    if !isRead { table.touchAsAWhole() }
  }

  private func table(
    named name: UnsafePointer<CChar>, in schema: UnsafePointer<CChar>
  ) -> TouchedTable {
    // A statement usually changes the same table many times.
    if let lastTable, lastTable.isNamed(name, in: schema) { return lastTable }
    if let table = tables.first(where: { $0.isNamed(name, in: schema) }) {
      lastTable = table
      return table
    }
    let table = TouchedTable(
      String(cString: name), in: String(cString: schema), identity: .unknown)
    tables.append(table)
    lastTable = table
    return table
  }
}

private final class TouchedTable {
  let table: TouchedRows.Table
  /// How the rows are identified; nil for a table that is not recorded.
  let identity: CapturedSchema.Identity?
  /// The virtual table whose content is stored in this table.
  let owner: TouchedRows.Table?
  var isTouched = false
  private(set) var isTouchedAsAWhole = false

  private let schema: [CChar]
  private let name: [CChar]
  private var rowIDs: Set<Int64> = []
  private var keys: Set<[Value]> = []

  init(
    _ name: String, in schema: String, identity: CapturedSchema.Identity,
    owner: TouchedRows.Table? = nil
  ) {
    self.name = Array(name.utf8CString)
    self.schema = Array(schema.utf8CString)
    table = TouchedRows.Table(name, in: schema)
    // SQLite does not report all changes of its internal tables.
    self.identity = table.isInternal ? nil : identity
    self.owner = owner
  }

  /// Compares the names as bytes: SQLite passes them as the schema spells them.
  func isNamed(_ name: UnsafePointer<CChar>, in schema: UnsafePointer<CChar>) -> Bool {
    TouchedTable.isEqual(self.name, name) && TouchedTable.isEqual(self.schema, schema)
  }

  private static func isEqual(_ lhs: [CChar], _ rhs: UnsafePointer<CChar>) -> Bool {
    // Both end with a zero byte, which no name contains.
    for index in lhs.indices where lhs[index] != rhs[index] { return false }
    return true
  }

  func insert(_ rowID: Int64) {
    rowIDs.insert(rowID)
    if rowIDs.count > TouchedRows.rowLimit { touchAsAWhole() }
  }

  func insert(_ key: [Value]) {
    keys.insert(key)
    if keys.count > TouchedRows.rowLimit { touchAsAWhole() }
  }

  func touchAsAWhole() {
    clear()
    isTouched = true
    isTouchedAsAWhole = true
  }

  func clear() {
    isTouched = false
    isTouchedAsAWhole = false
    rowIDs = []
    keys = []
  }

  var rows: TouchedRows.Rows {
    if isTouchedAsAWhole { return .all }
    return keys.isEmpty ? .rowIDs(rowIDs) : .keys(keys)
  }
}
