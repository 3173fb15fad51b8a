public import SQLiteStorage
internal import TableData

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// MARK: - What a change was before

extension FetchedResultsProvider {
  /// The record that was at a place before the batch that the delegate is being told of.
  ///
  /// ```swift
  /// func provider(_ provider: FetchedResultsProvider<Track>, didChange change: RowChange) {
  ///   guard case .delete(let place) = change else { return }
  ///   print("gone:", (try? provider.previousObject(at: place))?.name ?? "?")
  /// }
  /// ```
  ///
  /// It can be asked for from the first change of the batch until *did* has returned.
  ///
  /// - Parameter indexPath: an old place.
  /// - Throws: `FetchError` of code `.noPreviousContent` at any other time; `TableDataError` where
  ///   there was no such place; `DatabaseError`.
  public func previousObject(at indexPath: IndexPath) throws -> Record {
    let previous = try previousContent()
    return try previous.record(at: try previous.position(of: indexPath))
  }

  /// The columns in which a record differs from what it was before the batch that the delegate is
  /// being told of; none where it only moved.
  ///
  /// Complexity: two rows are read.
  ///
  /// - Parameters:
  ///   - oldIndexPath: the old place of an update or a move.
  ///   - newIndexPath: its new place.
  /// - Throws: as ``previousObject(at:)``.
  public func changedColumns(
    from oldIndexPath: IndexPath, to newIndexPath: IndexPath
  ) throws -> [ColumnChange] {
    let previous = try previousContent()
    // While there is previous content there is content.
    guard let content else { return [] }
    return try ColumnChange.changes(from: previous, at: oldIndexPath, to: content, at: newIndexPath)
  }

  /// The version of the database that is shown, nil before the first fetch: for values beside the
  /// list, such as a sum, that must not disagree with it.
  ///
  /// ```swift
  /// let total = try provider.databaseSnapshot?.read { connection in
  ///   try connection.value(Int.self, "SELECT sum(milliseconds) FROM track")
  /// }
  /// ```
  ///
  /// Do not keep it: holding a version keeps the write-ahead log from being emptied.
  public var databaseSnapshot: Snapshot? { content?.databaseSnapshot }

  private func previousContent() throws -> any ResultsContent<Record> {
    guard let previous = delivery.previous else {
      throw FetchError(
        .noPreviousContent, "no batch of changes is being told, so there is no content before it",
        nextStep: "Ask in the delegate's methods between the first change and did")
    }
    return previous
  }
}
