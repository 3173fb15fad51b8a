import FetchedResults
import RowQueries
import SQLiteStorage

struct WatchedList: Sendable {
  /// The name among the watched lists; nil if it is the only one.
  let name: String?
  let query: RowQuery

  /// What to tell the user if the rows cannot be read.
  func problem(_ error: any Error) -> WatchProblem {
    WatchProblem(
      list: name, message: (name.map { "\($0): " } ?? "") + "\(query.described(error))")
  }

  /// The error to end with if the rows cannot be read.
  func located(_ error: any Error) -> any Error {
    let error = query.described(error)
    return name.map(error.located(in:)) ?? error
  }
}

extension [WatchedList] {
  /// Why some lists cannot follow.
  func problems(in results: IndependentUpdates<Row>.Element) -> [WatchProblem] {
    zip(self, results).compactMap { list, result in result.error.map(list.problem) }
  }
}

extension [WatchProblem] {
  /// All of them in one line; nil if there is none.
  var line: String? { isEmpty ? nil : map(\.message).joined(separator: "; ") }
}

/// Why the newest version of a list cannot be shown.
struct WatchProblem: Equatable {
  /// The name of the list among several; nil if it is the only one, or if no list can be shown.
  let list: String?
  /// It begins with the name of the list.
  let message: String
}

/// Shows lists and their changes, until the requested number of changes was shown, the user quits, or the
/// reader closes the pipe. All lists show the same version of the database, except one that cannot be read:
/// it keeps its last version until it can follow.
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
    /// The lists, by position, that missed a version, so that no changes lead to their next one.
    var behind: Set<Int> = []
    /// The errors that were shown last; empty if a version was shown since.
    var problems: [WatchProblem] = []
  }

  /// Watches the lists.
  ///
  /// An error before the first version of any list is thrown; later ones are shown, and watching continues.
  ///
  /// - Parameter makeOutput: makes the output of the lists, with an action that ends the watch.
  /// - Throws: `Interruption.Error` after a signal; `OutputError`; and for the first version
  ///   `FetchError` and `DatabaseError`.
  func run(
    to makeOutput:
      @escaping @Sendable ([WatchedList], @escaping @Sendable () -> Void) -> any WatchOutput
  ) async throws {
    let (quits, quit) = AsyncStream.makeStream(of: Void.self)
    try await Interruption.runUntilOneEnds([
      {
        let first = try open()
        let output = makeOutput(first.lists) { quit.finish() }
        do {
          try await follow(consume first, output)
        } catch {
          await output.end()
          throw error
        }
        await output.end()
      },
      StandardStreams.waitUntilReaderIsGone,
      { for await _ in quits {} },
    ])
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
        try await show([WatchProblem(list: nil, message: "\(error)")], &progress, output)
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
    var updates = IndependentUpdates(
      database: source.database,
      requests: source.lists.map { ($0.query.request, $0.query.sectionKey) }
    ).makeAsyncIterator()
    while !Task.isCancelled {
      do {
        let indicator = ProgressIndicator("Reading …", isQuiet: isQuiet || progress.version >= 0)
        defer { indicator.end() }
        guard let results = try await updates.next() else { break }
        indicator.end()
        try await show(results, of: source.lists, &progress, output)
        if let count, progress.version >= count { return false }
      } catch let error as OutputError {
        throw error
      } catch {
        if let error = error as? DatabaseError, error.code == .fileReplaced {
          try await show([WatchProblem(list: nil, message: error.message)], &progress, output)
          progress.behind = Set(source.lists.indices)
          return true
        }
        try Interruption.check()
        // With several lists, an error of one is in the results, so this one concerns the database.
        let described =
          source.lists.count == 1 ? source.lists[0].query.described(error) : error
        if progress.version < 0 { throw described }
        // The next update may be without the error.
        try await show([WatchProblem(list: nil, message: "\(described)")], &progress, output)
      }
    }
    return false
  }

  /// Shows a version, unless no list shows anything new in it.
  private func show(
    _ results: IndependentUpdates<Row>.Element, of lists: [WatchedList], _ progress: inout Progress,
    _ output: any WatchOutput
  ) async throws {
    var results = results
    if progress.version < 0 { try requireOne(of: results, lists) }
    let updates = results.compactMap { try? $0.get() }
    let isNew = updates.contains { $0.old == nil || !$0.changes.isEmpty }
    if isNew {
      let behind = progress.behind
      progress.behind.formUnion(results.indices.filter { results[$0].error == nil })
      results = try await output.show(
        results.enumerated().map { position, result in
          behind.contains(position) ? result.map(\.asFirst) : result
        }, version: progress.version + 1)
      if progress.version < 0 { try requireOne(of: results, lists) }
      progress.version += 1
      progress.behind.subtract(results.indices.filter { results[$0].error == nil })
    } else if progress.behind.isEmpty {
      try await output.showUnchanged(results)
    }
    let problems = lists.problems(in: results)
    if !problems.isEmpty {
      try Interruption.check()
      try await show(problems, &progress, output)
    } else if isNew || progress.behind.isEmpty {
      progress.problems = []
    }
  }

  /// Throws the first error if no list can be shown.
  private func requireOne(of results: IndependentUpdates<Row>.Element, _ lists: [WatchedList])
    throws
  {
    let errors = zip(lists, results).compactMap { list, result in result.error.map(list.located) }
    if errors.count == results.count, let error = errors.first { throw error }
  }

  private func show(
    _ problems: [WatchProblem], _ progress: inout Progress, _ output: any WatchOutput
  ) async throws {
    guard problems != progress.problems else { return }
    progress.problems = problems
    try await output.show(problems)
  }
}
