internal import SQLiteStorage
public import SectionedData

// A user's edit is written in its own transaction. The change is shown like any other commit: by
// observation if it runs, else before the method returns. So the change is delivered once.
extension FetchedResultsProvider: EditableDataProvider where Record: FetchableRecord {
  /// Where an edit would take effect: its target, or nil if the request reads a view or a SELECT, not the table that
  /// records are written to. A row can be moved if the request is also sorted first by a stored property of the type
  /// ``Position``. An insert is checked when it is made.
  ///
  /// Complexity: one look-up of the table in the schema.
  ///
  /// - Throws: `TableDataError` if the row does not exist; `FetchError` with code `.notFetched` before the first fetch;
  ///   `DatabaseError`.
  public func destination(of edit: RowEdit<Record>) throws -> IndexPath? {
    switch edit {
    case .insert: return edit.target
    case .delete(let path): _ = try identity(at: path)
    case .move(let path, _):
      _ = try identity(at: path)
      guard positionProperty != nil else { return nil }
    }
    do {
      return try database.read { try isWritable(in: $0) } ? edit.target : nil
    } catch let error as FetchError where error.code == .notWritable || error.code == .missingKey {
      return nil
    }
  }

  /// Deletes or moves a row in its table, or inserts a record into it.
  ///
  /// - If a row is already deleted, nothing happens.
  /// - A row is moved as ``move(from:to:by:)`` does it.
  /// - If rows can be moved, a record is inserted at the index path, and in its section if the
  ///   section key is a column. Otherwise the order of the request decides where the record is shown.
  ///   If the conditions of the request exclude the record, it is not shown.
  ///
  /// - Throws: `TableDataError` if an index path does not exist; `FetchError` with code `.notWritable`, and
  ///   with code `.notOrdered` for a move if the request is not sorted first by a stored property of the type
  ///   ``Position``; as ``move(from:to:by:)`` and as `insert(_:)` of a connection; `DatabaseError`.
  public func perform(_ edit: RowEdit<Record>) throws {
    switch edit {
    case .delete(let path):
      let identity = try identity(at: path)
      try write { try $0.delete(Record.self, identity) }
    case .move(let path, let target):
      guard let positionProperty else {
        throw FetchError(
          .notOrdered, "the request is not sorted first by a Position",
          nextStep: "Sort the request first by a property of the type Position, or use "
            + "move(from:to:by:)")
      }
      try write { try move(from: path, to: target, by: positionProperty, in: $0) }
    case .insert(let item, let path):
      try requireGap(at: path)
      try write { try insert(item, at: path, in: $0) }
    }
    showWritten()
  }

  private func write(_ body: (Connection) throws -> Void) throws {
    try database.write { connection in
      try requireWritable(in: connection)
      try body(connection)
    }
  }

  private func insert(_ item: Record, at indexPath: IndexPath, in connection: Connection) throws {
    guard let positionProperty else {
      try connection.insert(item)
      return
    }
    let position = try position(forInsertionAt: indexPath, by: positionProperty, in: connection)
    var item = item
    // Two rows must never have the same position, not even between two statements.
    if let property = positionProperty as? WritableKeyPath<Record, Position> {
      item[keyPath: property] = position
    }
    let identity = try connection.insert(item)
    let order = try UserOrder(of: fetch, by: positionProperty, in: connection)
    let isNewSection = indexPath.section == numberOfSections
    try order.write(
      position, section: isNewSection ? nil : try sectionKey(at: indexPath.section),
      to: identity.key)
  }

  /// The property that contains the user's order.
  private var positionProperty: AnyProperty<Record>? {
    guard case .property(let property)? = request.sortTerms.first?.subject else { return nil }
    let type = Swift.type(of: property as AnyKeyPath).valueType
    return type == Position.self || type == Position?.self ? property : nil
  }

  private func isWritable(in connection: Connection) throws -> Bool {
    // Another description of the same records may read other rows.
    guard case .table(let name) = request.description.source,
      case .table(let other) = Record.recordDescription.source,
      name.sqliteFolded == other.sqliteFolded
    else { return false }
    let table = try WrittenTable(Record.recordDescription, in: connection)
    return try table.key.map(\.name).exact
      == WrittenTable(request.description, in: connection).key.map(\.name).exact
  }

  private func requireWritable(in connection: Connection) throws {
    guard try !isWritable(in: connection) else { return }
    throw FetchError(
      .notWritable,
      "this request does not read the table that \(Record.self) is written to",
      nextStep: "Start from \(Record.self).all, or write with execute(_:_:)")
  }

  private func requireGap(at path: IndexPath) throws {
    // The first row of a new section.
    guard path != [numberOfSections, 0] else { return }
    try requireRow(at: path, allowsEnd: true)
  }

  /// Shows what was written, unless the provider observes.
  private func showWritten() {
    guard !group.followsCommits else { return }
    do {
      try refresh()
    } catch {
      // The write has succeeded, so the error is reported, not thrown.
      report(error)
    }
  }
}
