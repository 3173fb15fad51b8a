import FetchedResults
import RowQueries
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

  /// Shows the message of the error because of which the newest version cannot be shown.
  func show(_ message: String) async throws

  /// Ends the output, and restores the terminal if it was changed.
  func end() async
}

/// Writes events for programs.
actor EventOutput: WatchOutput {
  private let writer: EventWriter

  init(_ query: RowQuery, writesOldRows: Bool) {
    writer = EventWriter(query, to: .standardOutput(), writesOldRows: writesOldRows)
  }

  func show(_ update: FetchedUpdates<Row>.Element, version: Int, isReset: Bool) async throws {
    guard let old = update.old, version > 0, !isReset, update.changes.reset == nil else {
      return try writer.write(update.new, version: version)
    }
    try writer.write(update.changes, from: old, to: update.new, version: version)
  }

  func show(_ message: String) async throws { try writer.write(error: message) }

  func end() async {}
}

/// Prints on standard error how each change was detected, in addition to another output.
actor StatisticsOutput: WatchOutput {
  private let output: any WatchOutput
  /// Whether a line for each change is printed, or only the summary.
  private let printsChanges: Bool

  private var changeCount = 0
  private var resetCount = 0
  private var errorCount = 0
  private var captureCount = 0
  private var pagesCount = 0
  private var comparisonCount = 0

  init(of output: any WatchOutput, printsChanges: Bool) {
    self.output = output
    self.printsChanges = printsChanges
  }

  func show(_ update: FetchedUpdates<Row>.Element, version: Int, isReset: Bool) async throws {
    // Before the version is shown, so that this line is printed first.
    if version > 0 { count(update, version: version, isReset: isReset) }
    try await output.show(update, version: version, isReset: isReset)
  }

  private func count(_ update: FetchedUpdates<Row>.Element, version: Int, isReset: Bool) {
    changeCount += 1
    guard !isReset, update.changes.reset == nil, let source = update.source else {
      resetCount += 1
      return report("change \(version): reset")
    }
    switch source {
    case .capture: captureCount += 1
    case .pages: pagesCount += 1
    case .comparison: comparisonCount += 1
    }
    let changes = update.changes
    report(
      """
      change \(version): \(source), \(changes.deletedRows.count) deleted, \
      \(changes.insertedRows.count) inserted, \(changes.movedRows.count) moved, \
      \(changes.updatedRows.count) updated
      """)
  }

  func show(_ message: String) async throws {
    errorCount += 1
    try await output.show(message)
  }

  func end() async {
    await output.end()
    Console.report(
      """
      \("change".counted(changeCount)): \(captureCount) by capture, \(pagesCount) by pages, \
      \(comparisonCount) by comparison, \("reset".counted(resetCount)); \
      \("error".counted(errorCount))
      """)
  }

  private func report(_ line: String) { if printsChanges { Console.report(line) } }
}
