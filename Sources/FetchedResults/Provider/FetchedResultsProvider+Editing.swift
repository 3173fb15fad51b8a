internal import SQLiteStorage
public import TableData

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// A user's edit is written in its own transaction. The change is shown like any other commit: by
// observation if it runs, else before the method returns. So the change is delivered once.
extension FetchedResultsProvider: EditableDataProvider where Record: FetchableRecord {
  /// Whether the row can be deleted. It can if the request reads the table that the records are
  /// written to, not a view or a SELECT.
  ///
  /// Complexity: one look-up of the table in the schema.
  ///
  /// - Throws: `TableDataError` if the row does not exist; `DatabaseError`.
  public func canEditRow(at indexPath: IndexPath) throws -> Bool {
    _ = try identity(at: indexPath)
    do {
      return try database.read { try isWritable(in: $0) }
    } catch let error as FetchError where error.code == .notWritable || error.code == .missingKey {
      return false
    }
  }

  /// Whether the row can be moved. It can if it can be deleted and the request is sorted first by a
  /// stored property of the type ``Position``.
  ///
  /// - Throws: as ``canEditRow(at:)``.
  public func canMoveRow(at indexPath: IndexPath) throws -> Bool {
    try canEditRow(at: indexPath) && positionProperty != nil
  }

  /// Deletes the row from its table. If the row is already deleted, nothing happens.
  ///
  /// - Throws: `TableDataError` if the row does not exist; `FetchError` of code `.notWritable`;
  ///   `DatabaseError`.
  public func removeRow(at indexPath: IndexPath) throws {
    let identity = try identity(at: indexPath)
    try database.write { connection in
      try requireWritable(in: connection)
      try connection.delete(identity, from: Record.self)
    }
    showWritten()
  }

  /// Moves the row, as ``move(from:to:by:)`` does.
  ///
  /// - Throws: as ``move(from:to:by:)``; `FetchError` of code `.notOrdered` if the request is not
  ///   sorted first by a stored property of the type ``Position``.
  public func moveRow(
    at indexPath: IndexPath, to newIndexPath: IndexPath
  ) throws {
    guard let positionProperty else {
      throw FetchError(
        .notOrdered, "the rows of \(Record.self) are not in an order of the user's",
        nextStep: "Sort the request first by a property of the type Position, or use "
          + "move(from:to:by:)")
    }
    try database.write { connection in
      try requireWritable(in: connection)
      try move(from: indexPath, to: newIndexPath, by: positionProperty, in: connection)
    }
    showWritten()
  }

  /// Inserts a record.
  ///
  /// If rows can be moved, the record is inserted at the index path, and in its section if the
  /// section key is a column. Otherwise the order of the request decides where the record is shown.
  /// If the conditions of the request exclude the record, it is not shown.
  ///
  /// - Throws: `TableDataError` if the index path does not exist; `FetchError` of code `.notWritable`; as
  ///   `insert(_:)` of a connection; `DatabaseError`.
  public func insertRow(_ item: Record, at indexPath: IndexPath) throws {
    try requireGap(at: indexPath)
    try database.write { connection in
      try requireWritable(in: connection)
      guard let positionProperty else {
        try connection.insert(item)
        return
      }
      let position = try position(
        forInsertionAt: indexPath, by: positionProperty, in: connection)
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
    showWritten()
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
      case .table(let other) = Record.recordDescription.source, name == other
    else { return false }
    let table = try WrittenTable(Record.recordDescription, in: connection)
    return try table.key.map(\.name)
      == WrittenTable(request.description, in: connection).key.map(\.name)
  }

  private func requireWritable(in connection: Connection) throws {
    guard try !isWritable(in: connection) else { return }
    throw FetchError(
      .notWritable,
      "the rows of this request are not those of the table that a \(Record.self) is "
        + "written to",
      nextStep: "Request the records of their own description, or use execute(_:_:)")
  }

  private func requireGap(at path: IndexPath) throws {
    // The first row of a new section.
    guard path != [numberOfSections, 0] else { return }
    try path.requireRow(
      inSections: numberOfSections, allowsEnd: true, rowCount: numberOfRows(inSection:))
  }

  /// Shows what was written, unless the provider observes.
  private func showWritten() {
    guard group == nil else { return }
    do {
      try refresh()
    } catch {
      // The write has succeeded, so the error is reported, not thrown.
      report(error)
    }
  }
}
