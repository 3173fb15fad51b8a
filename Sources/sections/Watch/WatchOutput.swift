import FetchedResults
import RowQueries
import SQLiteStorage
import SectionedData

/// An output for the versions of watched lists.
///
/// The calls are made one after the other by the task that watches; `end` is the last.
protocol WatchOutput: Sendable {
  /// Shows a version.
  ///
  /// - Parameters:
  ///   - results: the update of each list, or the error that keeps it at its version. Without an old version
  ///     in the update, no changes lead to the new one.
  ///   - version: counted from 0.
  /// - Returns: the results, with an error for each list whose rows could not be read to show them.
  func show(
    _ results: IndependentUpdates<Row>.Element, version: Int
  ) async throws -> IndependentUpdates<Row>.Element

  /// Shows a version in which nothing has changed since the last one that was shown, and which has no
  /// number. An output that keeps the versions that it shows keeps this one: otherwise it would keep an old
  /// one while other tables are written, and the log could not be reset.
  func showUnchanged(_ results: IndependentUpdates<Row>.Element) async throws

  /// Releases the version that is shown: its log was removed or replaced, and must be closed before the
  /// database can be opened again.
  func releaseVersion() async

  /// Shows why the newest version cannot be shown, or not of all lists.
  func show(_ problems: [WatchProblem]) async throws

  /// Ends the output, and restores the terminal if it was changed.
  func end() async
}

/// Writes events for programs: of each version an event of each list, one after the other.
actor EventOutput: WatchOutput {
  private let output = OutputBuffer.standardOutput()
  private let lists: [WatchedList]
  private let writesOldRows: Bool

  init(_ lists: [WatchedList], writesOldRows: Bool) {
    self.lists = lists
    self.writesOldRows = writesOldRows
  }

  func show(
    _ results: IndependentUpdates<Row>.Element, version: Int
  ) async throws -> IndependentUpdates<Row>.Element {
    var shown = results
    for (position, result) in results.enumerated() {
      guard let update = try? result.get() else { continue }
      let list = lists[position]
      let writer = EventWriter(
        list.query, to: output, list: list.name, writesOldRows: writesOldRows)
      do {
        if let old = update.old, !update.isReset {
          try writer.write(update.changes, from: old, to: update.new, version: version)
        } else {
          try writer.write(update.new, version: version)
        }
      } catch let error
        where (version > 0 || list.name != nil)
        && !(error is OutputError || error is Interruption.Error)
      {
        // Nothing of the event has been written.
        shown[position] = .failure(error)
      }
    }
    try output.flush()
    return shown
  }

  func showUnchanged(_ results: IndependentUpdates<Row>.Element) async throws {}

  func releaseVersion() async {}

  func show(_ problems: [WatchProblem]) async throws {
    for problem in problems {
      output.object {
        output.member("event", "error")
        if let list = problem.list { output.member("list", list) }
        output.member("message", problem.message)
      }
      output.append("\n")
    }
    try output.flush()
  }

  func end() async {}
}

/// Prints on standard error how each change was detected, in addition to another output.
actor StatisticsOutput: WatchOutput {
  private let output: any WatchOutput
  private let lists: [WatchedList]
  /// Whether a line for each change is printed, or only the summary.
  private let printsChanges: Bool

  private var changeCount = 0
  private var resetCount = 0
  private var errorCount = 0
  private var captureCount = 0
  private var pagesCount = 0
  private var comparisonCount = 0

  init(of output: any WatchOutput, _ lists: [WatchedList], printsChanges: Bool) {
    self.output = output
    self.lists = lists
    self.printsChanges = printsChanges
  }

  func show(
    _ results: IndependentUpdates<Row>.Element, version: Int
  ) async throws -> IndependentUpdates<Row>.Element {
    // Before the version is shown, so that this line is printed first.
    for (list, result) in zip(lists, results) where version > 0 {
      guard let update = try? result.get() else { continue }
      // A list without changes was shown with those of another.
      if update.isReset || !update.changes.isEmpty { count(update, of: list, version: version) }
    }
    return try await output.show(results, version: version)
  }

  func showUnchanged(_ results: IndependentUpdates<Row>.Element) async throws {
    try await output.showUnchanged(results)
  }

  func releaseVersion() async { await output.releaseVersion() }

  private func count(
    _ update: FetchedUpdates<Row>.Element, of list: WatchedList, version: Int
  ) {
    changeCount += 1
    let version = list.name.map { "\(version) of \($0)" } ?? "\(version)"
    guard !update.isReset, let source = update.source else {
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

  func show(_ problems: [WatchProblem]) async throws {
    errorCount += problems.count
    try await output.show(problems)
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
