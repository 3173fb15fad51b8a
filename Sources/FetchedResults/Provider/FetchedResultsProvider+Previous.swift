public import SQLiteStorage
public import SectionedData

/// A column of a record whose value has changed.
///
/// Sendable: a plain value.
public struct ColumnChange: Hashable, Sendable {
  /// The name of the column.
  public let column: String
  /// The value before the change.
  public let old: Value
  /// The value after the change.
  public let new: Value
}

// A composed list uses this to find that a record moved from one fetched list to another.
extension FetchedResultsProvider: PreviousRows {
  package var itemType: Any.Type { Record.self }

  package func identityForDeletedRow(at indexPath: IndexPath) throws -> AnyHashable? {
    guard let previous = delivery.previous else { return nil }
    return try itemIdentity(at: try previous.position(of: indexPath), of: previous)
  }
}

// MARK: - The old content during a batch

extension FetchedResultsProvider {
  /// The record that was at an index path before the current batch.
  ///
  /// ```swift
  /// func provider(_ provider: FetchedResultsProvider<Track>, didChange change: RowChange) {
  ///   guard case .delete(let place) = change else { return }
  ///   print("deleted:", (try? provider.previousObject(at: place))?.name ?? "?")
  /// }
  /// ```
  ///
  /// It is available from the first change of the batch until `providerDidChangeContent` has returned.
  ///
  /// - Parameter indexPath: an old index path.
  /// - Throws: `FetchError` with code `.noPreviousContent` at any other time; `TableDataError` if
  ///   there was no such row; `DatabaseError`.
  public func previousObject(at indexPath: IndexPath) throws -> Record {
    let previous = try previousContent()
    return try previous.record(at: try previous.position(of: indexPath))
  }

  /// The columns of a record that have changed in the current batch; empty if the row only moved.
  ///
  /// Complexity: two rows are read.
  ///
  /// - Parameters:
  ///   - oldIndexPath: the old index path of an update or a move.
  ///   - newIndexPath: its new index path.
  /// - Throws: the same as ``previousObject(at:)``.
  public func changedColumns(
    from oldIndexPath: IndexPath, to newIndexPath: IndexPath
  ) throws -> [ColumnChange] {
    let previous = try previousContent()
    // If there is previous content, there is content.
    guard let content else { return [] }
    let old = try previous.values(at: try previous.position(of: oldIndexPath))
    let new = try content.values(at: try content.position(of: newIndexPath))
    return zip(old, new).compactMap { old, new in
      old.value == new.value
        ? nil : ColumnChange(column: new.column, old: old.value, new: new.value)
    }
  }

  /// The version of the database that is shown; nil before the first fetch. Read from it what is shown beside the list,
  /// such as a sum, so that both agree.
  ///
  /// ```swift
  /// let total = try provider.databaseSnapshot?.read { connection in
  ///   try connection.value(Int.self, "SELECT sum(milliseconds) FROM track")
  /// }
  /// ```
  ///
  /// Do not keep it: a snapshot that is in use prevents the write-ahead log from being reset.
  public var databaseSnapshot: Snapshot? { content?.version.snapshot }

  private func previousContent() throws -> SnapshotReader<Record> {
    guard let previous = delivery.previous else {
      throw FetchError(
        .noPreviousContent,
        "no batch of changes is being delivered, so there is no previous content",
        nextStep: "Call it from the delegate's didChange methods, or in providerDidChangeContent")
    }
    return previous
  }
}
