import FetchedResults
import SQLiteStorage
import TableData

/// Where the versions of a watched result go.
///
/// The calls come one after the other from the task that watches; `end` is the last.
protocol WatchOutput: Sendable {
  /// Shows a version.
  ///
  /// - Parameters:
  ///   - version: counted from 0.
  ///   - isReset: whether the version before it was not shown, so that no changes lead here.
  func show(
    _ update: FetchedUpdates<Row>.Element, version: Int, isReset: Bool
  ) async throws

  /// Shows why the newest version cannot be shown.
  func show(_ error: any Error) async throws

  /// Leaves everything as it was.
  func end() async
}

/// Events for programs.
actor EventOutput: WatchOutput {
  private let writer: EventWriter

  init(_ query: RowQuery) { writer = EventWriter(query.layout, to: .standardOutput()) }

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
