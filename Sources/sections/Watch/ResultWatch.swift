import FetchedResults
import RowQueries
import SQLiteStorage

/// A list that is watched.
struct WatchedList: Sendable {
  /// The name among the watched lists; nil if it is the only one.
  let name: String?
  let query: RowQuery
}

/// Shows lists and their changes, until the requested number of changes was shown, the user quits, or the
/// reader closes the pipe. All lists are of one version of the database.
struct ResultWatch: Sendable {
  /// Opens the file that is at the path now, and looks up the sources in it.
  let open: @Sendable () throws -> Source
  /// The number of changes after which to end; nil for no end.
  let count: Int?
  /// Whether no progress is shown while the first version is fetched.
  let isQuiet: Bool

  /// A file, and the lists to show.
  struct Source: Sendable {
    let database: Database
    let lists: [WatchedList]
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

  /// Watches the lists.
  ///
  /// An error before the first version is thrown; later ones are shown, and watching goes on.
  ///
  /// - Parameter makeOutput: makes the output of the lists, with an action that ends the watch.
  /// - Throws: `Interruption.Error` after a signal; `OutputError`; and for the first version
  ///   `FetchError` and `DatabaseError`.
  func run(
    to makeOutput:
      @escaping @Sendable ([WatchedList], @escaping @Sendable () -> Void) -> any WatchOutput
  ) async throws {
    let (quits, quit) = AsyncStream.makeStream(of: Void.self)
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          let first = try open()
          let output = makeOutput(first.lists) { quit.finish() }
          do {
            try await follow(consume first, output)
          } catch {
            await output.end()
            throw error
          }
          await output.end()
        }
        group.addTask { await StandardStreams.waitUntilReaderIsGone() }
        group.addTask { for await _ in quits {} }
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
        if (error as? DatabaseError)?.code == .fileReplaced { await output.releaseVersion() }
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
    var updates = JointUpdates(
      database: source.database,
      requests: source.lists.map { ($0.query.request, $0.query.sectionKey) }
    ).makeAsyncIterator()
    while !Task.isCancelled {
      do {
        let indicator = ProgressIndicator("Reading …", isQuiet: isQuiet || progress.version >= 0)
        defer { indicator.end() }
        guard let update = try await updates.next() else { break }
        indicator.end()
        if update.allSatisfy({ $0.old != nil && $0.changes.isEmpty }) {
          guard !progress.isBehind else { continue }
          try await output.showUnchanged(update)
          progress.message = nil
          continue
        }
        let isReset = progress.isBehind
        progress.isBehind = true
        try await output.show(update, version: progress.version + 1, isReset: isReset)
        progress.version += 1
        progress.isBehind = false
        progress.message = nil
        if let count, progress.version >= count { return false }
      } catch let error as OutputError {
        throw error
      } catch {
        let list = (error as? JointUpdates<Row>.ResultFailure).map { source.lists[$0.position] }
        let error = (error as? JointUpdates<Row>.ResultFailure)?.error ?? error
        if let error = error as? DatabaseError, error.code == .fileReplaced {
          try await show(error.message, &progress, output)
          progress.isBehind = true
          return true
        }
        try Interruption.check()
        let described = (list ?? source.lists[0]).query.described(error)
        if progress.version < 0 { throw described }
        // The next update may be without the error.
        let prefix = list?.name.map { "\($0): " } ?? ""
        try await show("\(prefix)\(described)", &progress, output)
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
