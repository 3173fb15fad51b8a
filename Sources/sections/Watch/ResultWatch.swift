import FetchedResults
import RowQueries
import SQLiteStorage

/// Shows a result and its changes, until the requested number of changes was shown, the user quits,
/// or the reader closes the pipe.
struct ResultWatch: Sendable {
  /// Opens the file that is at the path now, and looks up the source in it.
  let open: @Sendable () throws -> Source
  /// The number of changes after which to end; nil for no end.
  let count: Int?
  /// Whether no progress is shown while the first version is fetched.
  let isQuiet: Bool

  /// A file, and the query to show.
  struct Source: Sendable {
    let database: Database
    let query: RowQuery
  }

  /// What has been shown so far.
  private struct Progress: Sendable {
    /// The version that was shown last.
    var version = -1
    /// Whether a version was skipped since, so that no changes lead to the next one.
    var isBehind = false
    /// The error that was shown last; nil if a version was shown since.
    var message: String?
  }

  /// Watches the result.
  ///
  /// An error before the first version is thrown; later ones are shown, and watching goes on.
  ///
  /// - Throws: `Interruption.Error` if the user quits; `OutputError`; and for the first version
  ///   `FetchError` and `DatabaseError`.
  func run(to makeOutput: @escaping @Sendable (RowQuery) -> any WatchOutput) async throws {
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          let first = try open()
          let output = makeOutput(first.query)
          do {
            try await follow(consume first, output)
          } catch {
            await output.end()
            throw error
          }
          await output.end()
        }
        group.addTask { await StandardStreams.waitUntilReaderIsGone() }
        defer { group.cancelAll() }
        try await group.next()
      }
    } catch {
      // An interrupted statement is an error as well, but not the one to report.
      try Interruption.check()
      throw error
    }
    try Interruption.check()
  }

  /// Shows the versions of the file, and of each file that replaces it.
  private func follow(_ first: consuming Source, _ output: any WatchOutput) async throws {
    var progress = Progress()
    var source: Source? = consume first
    while !Task.isCancelled {
      if let current = source {
        let isReplaced = try await showVersions(of: current, &progress, output)
        guard isReplaced else { return }
      }
      source = nil
      do {
        source = try open()
      } catch {
        try await show("\(error)", &progress, output)
        try? await Task.sleep(for: .milliseconds(500), clock: .suspending)
      }
    }
  }

  /// Shows the versions of one file, until it is replaced or the watch ends.
  ///
  /// - Returns: whether the path leads to another file than before, or to none.
  private func showVersions(
    of source: Source, _ progress: inout Progress, _ output: any WatchOutput
  ) async throws -> Bool {
    var updates = FetchedUpdates(
      database: source.database, request: source.query.request,
      sectionedBy: source.query.sectionKey
    ).makeAsyncIterator()
    while !Task.isCancelled {
      do {
        let indicator = ProgressIndicator("Reading …", isQuiet: isQuiet || progress.version >= 0)
        defer { indicator.end() }
        guard let update = try await updates.next() else { break }
        indicator.end()
        progress.version += 1
        let isReset = progress.isBehind
        progress.isBehind = true
        try await output.show(update, version: progress.version, isReset: isReset)
        progress.isBehind = false
        progress.message = nil
        if let count, progress.version >= count { return false }
      } catch let error as OutputError {
        throw error
      } catch let error as DatabaseError where error.code == .fileReplaced {
        try await show(error.message, &progress, output)
        progress.isBehind = true
        return true
      } catch {
        try Interruption.check()
        let error = source.query.described(error)
        if progress.version < 0 || progress.version == 0 && progress.isBehind { throw error }
        // The next update may be without the error.
        try await show("\(error)", &progress, output)
      }
    }
    return false
  }

  private func show(
    _ message: String, _ progress: inout Progress, _ output: any WatchOutput
  ) async throws {
    guard message != progress.message else { return }
    progress.message = message
    try await output.show(message)
  }
}
