import FetchedResults
import SQLiteStorage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Shows a result and whatever becomes of it, until it has seen enough or nobody wants more.
struct ResultWatch: Sendable {
  /// Opens the file that is at the path now, and looks the source up in it.
  let open: @Sendable () throws -> Source
  /// The path of the file.
  let path: String
  /// After how many changes to end; nil for never.
  let count: Int?

  /// A file, and what to show of it.
  struct Source: Sendable {
    let database: Database
    let query: RowQuery
  }

  /// How far it has come.
  private struct Progress: Sendable {
    /// The version that was shown last.
    var version = -1
    /// Whether that is not the one before the next.
    var isBehind = false
    /// The error that was shown last, where nothing else was since.
    var message: String?
  }

  private enum Outcome: Sendable {
    case seenEnough, readerLeft, stopped
    /// Another file took the place of the one that is watched, after it had come so far.
    case fileReplaced(Progress)
  }

  /// Watches.
  ///
  /// An error before the first version is thrown; later ones are shown, and watching goes on.
  ///
  /// - Throws: `Interruption.Error` where the user wants out; `OutputError`; and for the first
  ///   version `FetchError` and `DatabaseError`.
  func run(to makeOutput: @Sendable (RowQuery) -> any WatchOutput) async throws {
    let first = try open()
    let output = makeOutput(first.query)
    do {
      var progress = Progress()
      var source: Source? = first
      while let next = try await watch(source, progress, output) {
        progress = next
        do {
          source = try open()
        } catch {
          source = nil
          try await show(error, &progress, output)
          try? await Task.sleep(for: .milliseconds(500))
        }
      }
      await output.end()
    } catch {
      await output.end()
      // An interrupted statement is an error as well, but not the one to tell.
      try Interruption.check()
      throw error
    }
    try Interruption.check()
  }

  /// Watches one file.
  ///
  /// - Parameter source: nil where the file could not be opened.
  /// - Returns: how far it has come when another file took its place; nil where all is done.
  private func watch(
    _ source: Source?, _ progress: Progress, _ output: any WatchOutput
  ) async throws -> Progress? {
    guard let source else { return Task.isCancelled ? nil : progress }
    return try await withThrowingTaskGroup(of: Outcome.self) { group in
      group.addTask { try await follow(source, progress, output) }
      group.addTask { await waitUntilReaderLeaves() }
      defer { group.cancelAll() }
      guard case .fileReplaced(let progress)? = try await group.next() else { return nil }
      return progress
    }
  }

  /// Shows the versions of one file.
  private func follow(
    _ source: Source, _ progress: Progress, _ output: any WatchOutput
  ) async throws -> Outcome {
    var progress = progress
    var updates = FetchedUpdates(
      database: source.database, request: source.query.request,
      sectionedBy: source.query.sectionKey
    ).makeAsyncIterator()
    while !Task.isCancelled {
      do {
        guard let update = try await updates.next() else { break }
        progress.version += 1
        let isReset = progress.isBehind
        progress.isBehind = true
        try await output.show(update, version: progress.version, isReset: isReset)
        progress.isBehind = false
        progress.message = nil
        if let count, progress.version >= count { return .seenEnough }
      } catch let error as OutputError {
        throw error
      } catch let error as DatabaseError where error.code == .fileReplaced {
        try await show(ReplacedFile(path: path), &progress, output)
        progress.isBehind = true
        return .fileReplaced(progress)
      } catch {
        try Interruption.check()
        if progress.version < 0 || progress.version == 0 && progress.isBehind { throw error }
        try await show(error, &progress, output)
        await waitForChance(source.database)
      }
    }
    return .stopped
  }

  private func show(
    _ error: any Error, _ progress: inout Progress, _ output: any WatchOutput
  ) async throws {
    let message = "\(error)"
    guard message != progress.message else { return }
    progress.message = message
    try await output.show(error)
  }

  /// Waits for a commit, which may have mended what was wrong, or for a while: not everything that
  /// goes wrong is a matter of the content.
  private func waitForChance(_ database: Database) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for await _ in database.commits { return } }
      group.addTask { try? await Task.sleep(for: .seconds(1)) }
      await group.next()
      group.cancelAll()
    }
  }

  /// Returns when the reader of a pipe has gone, as without changes nothing is written and no write
  /// would tell; or when the task is cancelled.
  private func waitUntilReaderLeaves() async -> Outcome {
    while !Task.isCancelled {
      // Asked for no event, it tells of errors alone.
      var descriptor = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      if poll(&descriptor, 1, 0) > 0 { return .readerLeft }
      try? await Task.sleep(for: .milliseconds(500))
    }
    return .stopped
  }
}

/// The path leads to another file than before, or to none.
private struct ReplacedFile: Error, CustomStringConvertible {
  let path: String
  var description: String { "the file was replaced or removed: \(path)" }
}
