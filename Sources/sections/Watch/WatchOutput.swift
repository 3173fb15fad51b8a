import FetchedResults
import SQLiteStorage
import TableData

/// An output for the versions of a watched result.
///
/// The calls are made one after the other by the task that watches; `end` is the last.
protocol WatchOutput: Sendable {
  /// Shows a version.
  ///
  /// - Parameters:
  ///   - version: counted from 0.
  ///   - isReset: whether the version before it was not shown, so that no changes lead to this one.
  func show(
    _ update: FetchedUpdates<Row>.Element, version: Int, isReset: Bool
  ) async throws

  /// Shows the error because of which the newest version cannot be shown.
  func show(_ error: any Error) async throws

  /// Ends the output, and restores the terminal if it was changed.
  func end() async
}

/// Writes events for programs.
actor EventOutput: WatchOutput {
  private let writer: EventWriter

  init(_ query: RowQuery) {
    writer = EventWriter(query.layout, totals: query.totals, to: .standardOutput())
  }

  func show(_ update: FetchedUpdates<Row>.Element, version: Int, isReset: Bool) async throws {
    if version == 0 {
      try writer.write(.snapshot, update.new, version: version)
    } else if isReset || update.old == nil || update.changes.reset != nil {
      try writer.write(.reset, update.new, version: version)
    } else {
      try writer.write(update.changes, to: update.new, version: version)
    }
  }

  func show(_ error: any Error) async throws { try writer.write(error: error) }

  func end() async {}
}
