internal import SQLiteStorage

/// How the key of a record may be stored in other forms than the record writes it.
///
/// A row that was read is found by what is stored: first by the key as it is written, then by the other common forms of
/// its values, each by the index of the key. See Documentation/Decisions/0049.
///
/// Sendable: a plain value.
struct KeySpellings: Sendable {
  struct Column: Sendable {
    let name: String
    /// The SQL of the column, with the collation under which keys are unique.
    let sql: String
    /// Nil if its values are stored in one form only.
    let spelling: Spelling?

    init(_ name: String, collate: String, _ spelling: Spelling?) {
      self.name = name
      sql = name.quotedIdentifier + collate
      self.spelling = spelling
    }

    fileprivate func forms(of value: Value) -> [Value] { spelling?.forms(of: value) ?? [value] }
  }

  private let columns: [Column]

  /// - Returns: nil if each key is stored in one form only.
  init?(_ columns: [Column]) {
    guard columns.contains(where: { $0.spelling != nil }) else { return nil }
    self.columns = columns
  }

  /// The condition for the rows whose key may be read as a key; nil if it has no other form.
  ///
  /// - Parameter identity: has a value for each column.
  func condition(for identity: RowIdentity) -> BoundSQL? {
    let forms = zip(columns, identity.values).map { $0.forms(of: $1) }
    guard forms.contains(where: { $0.count > 1 }) else { return nil }
    return zip(columns, forms).map { column, forms in
      let list = Array(repeating: "?", count: forms.count).joined(separator: ", ")
      return BoundSQL("\(column.sql) IN (\(list))", forms)
    }.joined(" AND ")
  }

  /// The identity of the row whose key is stored in another form.
  ///
  /// Complexity: O(log n) for each form of the key: 4 of a UUID, about 40 of a date, 8 of a decimal number.
  ///
  /// - Parameters:
  ///   - source: the SQL after `FROM`.
  ///   - identity: a key that no row has as it is.
  ///   - parameters: the values of the named parameters in `source`.
  /// - Returns: nil if there is none.
  /// - Throws: `FetchError` with code `.invalidKey` if there are several; `DatabaseError`.
  func storedIdentity(
    of identity: RowIdentity, in source: BoundSQL, _ connection: Connection,
    parameters: [ExactText: Value] = [:]
  ) throws -> RowIdentity? {
    guard identity.values.count == columns.count, let condition = condition(for: identity) else {
      return nil
    }
    let list = columns.map(\.name.quotedIdentifier).joined(separator: ", ")
    let (statement, _) = try connection.statement(
      for: BoundSQL("SELECT \(list) FROM ") + source + " WHERE " + condition,
      parameters: parameters)
    defer { statement.reset() }
    var found: [RowIdentity] = []
    while try statement.step() {
      let row = statement.currentRow
      let stored = RowIdentity(key: KeyTuple(packing: row, columns: 0..<columns.count))
      if isSame(stored, identity) { found.append(stored) }
    }
    return try only(found, of: identity)
  }

  /// The identity whose key is stored in another form, as ``storedIdentity(of:in:_:parameters:)`` finds it.
  ///
  /// Complexity: O(n) for each form of the key.
  ///
  /// - Parameters:
  ///   - identities: those of all rows.
  ///   - order: compares keys as the collations do that make them unique.
  func storedIdentity(
    of identity: RowIdentity, among identities: [RowIdentity], _ order: SortOrder
  ) throws -> RowIdentity? {
    guard identity.values.count == columns.count else { return nil }
    let forms = zip(columns, identity.values).map { column, value in
      column.forms(of: value).map { KeyTuple([$0]) }
    }
    guard forms.contains(where: { $0.count > 1 }) else { return nil }
    let found = identities.filter { stored in
      zip(zip(forms, stored.values), order.terms).allSatisfy { column, term in
        let value = KeyTuple([column.1])
        return column.0.contains { SortOrder(terms: [term]).compare($0, value) == 0 }
      } && isSame(stored, identity)
    }
    return try only(found, of: identity)
  }

  /// The only one of the identities that were found; nil if there are none.
  private func only(_ found: [RowIdentity], of identity: RowIdentity) throws -> RowIdentity? {
    if found.contains(identity) { return identity }
    guard found.count < 2 else {
      throw FetchError.duplicateKey(identity, columns: columns.map(\.name))
    }
    return found.first
  }

  /// Under a collation or an affinity SQL finds rows with other keys too.
  private func isSame(_ stored: RowIdentity, _ identity: RowIdentity) -> Bool {
    zip(columns, zip(stored.values, identity.values)).allSatisfy { column, values in
      column.spelling?.isSame(values.0, values.1) ?? true
    }
  }
}
