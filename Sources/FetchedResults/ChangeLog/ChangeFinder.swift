internal import SQLiteStorage

/// Finds what differs between two versions of a database, table by table: by looking up the touched rows, or by reading both
/// versions side by side.
struct ChangeFinder {
  private let old: LoggedVersion
  private let new: LoggedVersion

  init(from old: LoggedVersion, to new: LoggedVersion) { (self.old, self.new) = (old, new) }

  /// The changes.
  ///
  /// Complexity: O(touched rows) look-ups in both versions if they are known, else O(rows) of all tables, and memory for
  /// the keys of those that differ, and for the values of the first ones.
  ///
  /// - Parameters:
  ///   - known: the rows that may differ; nil if they are still to be found.
  ///   - memory: for the values of those that differ.
  func changes(_ known: DetectedChanges?, _ memory: RowMemory) throws -> DatabaseChanges {
    if let loss = try old.loss {
      return DatabaseChanges(
        from: nil, to: new, gap: ChangeGap(reason: loss.message, isBridged: false),
        omittedTables: newlyOmitted)
    }
    let detected = known ?? old.detectedChanges(to: new)
    let (pairs, schemaChanges) = old.schema.compared(to: new.schema)
    let tables = try old.readAll(with: new) { oldConnection, newConnection in
      var memory = memory
      return try pairs.compactMap { pair -> DatabaseChanges.ChangedTable? in
        var comparison = try TableComparison(
          pair, oldConnection, newConnection, where: new.schema.logged.condition)
        let rows = try comparison.run(detected.touched, &memory)
        return rows.isEmpty ? nil : DatabaseChanges.ChangedTable(pair: pair, rows: rows)
      }
    }
    return DatabaseChanges(
      from: old, to: new, gap: gap(detected.obstacle, schemaChanges), schemaChanges: schemaChanges,
      omittedTables: newlyOmitted, tables: tables)
  }

  private var newlyOmitted: [String] {
    let known = Set(old.schema.virtualTables.exact)
    return new.schema.virtualTables.filter { !known.contains($0.exact) }
  }

  private func gap(_ obstacle: Touched.Reason?, _ schemaChanges: [SchemaChange]) -> ChangeGap? {
    guard let reason = obstacle else { return nil }
    if reason != .schemaChanged { return ChangeGap(reason: reason.description, isBridged: true) }
    return schemaChanges.isEmpty
      ? ChangeGap(reason: "the schema has changed, or VACUUM ran", isBridged: true) : nil
  }
}

/// Finds the rows of one table that may differ.
private struct TableComparison {
  private let pair: LoggedTablePair
  private let old: LoggedTableReader?
  private let new: LoggedTableReader?
  /// The rows that differ, of a table whose rows are recognized by their rowids.
  private var found: [LoggedRow] = []
  /// Finds them in another table.
  private var matcher: RowMatcher

  init(
    _ pair: LoggedTablePair, _ oldConnection: Connection, _ newConnection: Connection,
    where condition: SQL?
  ) throws {
    self.pair = pair
    new = pair.new.map { LoggedTableReader($0, in: newConnection, where: condition) }
    old = try pair.old.map { table in
      // In a table that was altered, the old rows are compared as they would be with the new columns.
      let content = pair.isAltered ? try pair.new?.columns(of: table, in: newConnection) : nil
      return LoggedTableReader(table, in: oldConnection, content: content, where: condition)
    }
    matcher = RowMatcher(hasIdentity: (pair.new ?? pair.old)?.identity != .content)
  }

  /// The rows that differ.
  mutating func run(_ touched: Touched, _ memory: inout RowMemory) throws -> [LoggedRow] {
    try find(touched, &memory)
    return found + matcher.changes()
  }

  private var isRecognizedByRowID: Bool { (pair.new ?? pair.old)?.identity == .rowID }

  private mutating func find(_ touched: Touched, _ memory: inout RowMemory) throws {
    guard old != nil, let new, !pair.isAltered, case .rows(let touched) = touched else {
      return try compareAll(&memory)
    }
    switch touched.rows(of: new.table.name) {
    case nil: return
    case .rowIDs(let rowIDs) where new.table.rowIDName != nil:
      try lookUp(rowIDs.sorted(), &memory) { try $0.bind($2, at: $1) }
    case .keys(let keys)
    where new.table.isWithoutRowID && !keys.contains(where: \.mayHaveLostBytes):
      try lookUp(distinct(keys), &memory) { statement, first, key in
        for (number, value) in key.enumerated() { try statement.bind(value, at: first + number) }
      }
    case .rowIDs, .keys, .all: try compareAll(&memory)
    }
  }

  /// Looks up touched rows in both versions.
  private mutating func lookUp<Key>(
    _ keys: [Key], _ memory: inout RowMemory, _ bind: (Statement, Int, Key) throws -> Void
  ) throws {
    guard let old, let new else { return }
    let oldStatement = try old.lookUp()
    let newStatement = try new.lookUp()
    let oldRow = oldStatement.currentRow
    let newRow = newStatement.currentRow
    defer {
      oldStatement.reset()
      newStatement.reset()
    }
    var seen: (old: Set<KeyTuple>, new: Set<KeyTuple>) = ([], [])
    // With a collation, two keys can be those of one row.
    func isNew(_ row: borrowing RowView, _ reader: LoggedTableReader, _ seen: inout Set<KeyTuple>)
      -> Bool
    {
      guard reader.table.isWithoutRowID else { return true }
      return seen.insert(KeyTuple(packing: row, columns: reader.identity, isExact: true)).inserted
    }
    for key in keys {
      oldStatement.reset()
      newStatement.reset()
      try bind(oldStatement, old.firstParameter, key)
      try bind(newStatement, new.firstParameter, key)
      let isInOld = try oldStatement.step()
      let isInNew = try newStatement.step()
      if isInOld, isInNew, oldRow.isIdentical(to: newRow, in: 0..<old.content.upperBound) {
        continue
      }
      add(
        old: isInOld && isNew(oldRow, old, &seen.old) ? oldStatement : nil,
        new: isInNew && isNew(newRow, new, &seen.new) ? newStatement : nil, &memory)
    }
  }

  /// Adds a row that differs.
  ///
  /// - Parameters:
  ///   - oldStatement: has the row in the old version; nil if it is not there.
  ///   - newStatement: the same of the new version.
  private mutating func add(
    old oldStatement: Statement?, new newStatement: Statement?, _ memory: inout RowMemory
  ) {
    guard isRecognizedByRowID else {
      if let old, let oldStatement {
        matcher.add(oldStatement.currentRow, of: old, isOld: true, &memory)
      }
      if let new, let newStatement {
        matcher.add(newStatement.currentRow, of: new, isOld: false, &memory)
      }
      return
    }
    let isMetInOld = oldStatement.flatMap { old?.isMet(by: $0.currentRow) } ?? false
    let isMetInNew = newStatement.flatMap { new?.isMet(by: $0.currentRow) } ?? false
    guard isMetInOld || isMetInNew else { return }
    let oldPlace = oldStatement.flatMap { old?.place(of: $0.currentRow, &memory) }
    let newPlace = newStatement.flatMap { new?.place(of: $0.currentRow, &memory) }
    found.append(LoggedRow(old: oldPlace, new: newPlace))
  }

  private func distinct(_ keys: Set<[Value]>) -> [[Value]] {
    let order = SortOrder.ofBytes(pair.new?.keyColumns.count ?? 0)
    return keys.map { (key: $0, tuple: KeyTuple($0)) }
      .sorted { order.compare($0.tuple, $1.tuple) < 0 }.map(\.key)
  }

  /// Reads both versions side by side. Only rows that differ, or are at another place, are given to the matcher. So the
  /// order only has to be nearly the same as SQLite's.
  private mutating func compareAll(_ memory: inout RowMemory) throws {
    let oldStatement = try old?.scan()
    let newStatement = try new?.scan()
    var isInOld = try oldStatement?.step() ?? false
    var isInNew = try newStatement?.step() ?? false
    defer {
      oldStatement?.reset()
      newStatement?.reset()
    }
    let order = SortOrder.ofBytes(pair.new?.keyColumns.count ?? 0)
    while isInOld || isInNew {
      var step = isInOld ? -1 : 1
      if isInOld, isInNew, let old, let new, let oldStatement, let newStatement {
        let oldRow = oldStatement.currentRow
        let newRow = newStatement.currentRow
        if oldRow.isIdentical(to: newRow, in: 0..<old.content.upperBound) {
          isInOld = try oldStatement.step()
          isInNew = try newStatement.step()
          continue
        }
        step = compare(oldRow, old, newRow, new, order)
      }
      add(old: step <= 0 ? oldStatement : nil, new: step >= 0 ? newStatement : nil, &memory)
      if step <= 0 { isInOld = try oldStatement?.step() ?? false }
      if step >= 0 { isInNew = try newStatement?.step() ?? false }
    }
  }

  private func compare(
    _ oldRow: borrowing RowView, _ old: LoggedTableReader, _ newRow: borrowing RowView,
    _ new: LoggedTableReader, _ order: SortOrder
  ) -> Int {
    if new.table.rowIDName != nil {
      let (oldID, newID) = (oldRow.int64(at: 0), newRow.int64(at: 0))
      return oldID < newID ? -1 : oldID > newID ? 1 : 0
    }
    return order.compare(
      KeyTuple(packing: oldRow, columns: old.identity, isExact: true),
      KeyTuple(packing: newRow, columns: new.identity, isExact: true))
  }
}

extension SortOrder {
  /// The ascending order of the bytes of some values.
  fileprivate static func ofBytes(_ count: Int) -> SortOrder {
    SortOrder(
      terms: Array(
        repeating: Term(comparator: .binary, isDescending: false, areNullsFirst: true), count: count
      ))
  }
}

extension [Value] {
  /// Whether a text may stand for bytes that are not valid UTF-8, so that no row is found by it.
  fileprivate var mayHaveLostBytes: Bool {
    contains { value in
      if case .text(let text) = value { text.unicodeScalars.contains("\u{FFFD}") } else { false }
    }
  }
}
