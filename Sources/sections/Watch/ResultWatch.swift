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
    case seenEnough, readerLeft, fileReplaced
    /// It was told to stop here.
    case stopped(Progress)
  }

  /// Watches.
  ///
  /// An error before the first version is thrown; later ones are shown, and watching goes on.
  ///
  /// - Throws: `Interruption.Error` where the user wants out; `OutputError`; and for the first
  ///   version `FetchError` and `DatabaseError`.
  func run(to makeOutput: @Sendable (RowQuery) -> any WatchOutput) async throws {
    var identity = FileIdentity(path: path)
    let first = try open()
    let output = makeOutput(first.query)
    do {
      var progress = Progress()
      var source: Source? = first
      while let next = try await watch(source, identity, progress, output) {
        progress = next
        // Before opening: what comes in between is noticed then.
        identity = FileIdentity(path: path)
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
  /// - Returns: where it has come when another file took its place; nil where all is done.
  private func watch(
    _ source: Source?, _ identity: FileIdentity?, _ progress: Progress, _ output: any WatchOutput
  ) async throws -> Progress? {
    guard let source else { return Task.isCancelled ? nil : progress }
    return try await withThrowingTaskGroup(of: Outcome.self) { group in
      group.addTask { try await follow(source, progress, output) }
      group.addTask { await look(for: identity) }
      var isReplaced = false
      while let outcome = try await group.next() {
        group.cancelAll()
        switch outcome {
        case .fileReplaced: isReplaced = true
        case .stopped(var progress) where isReplaced:
          try await show(ReplacedFile(path: path), &progress, output)
          progress.isBehind = true
          return progress
        case .seenEnough, .readerLeft, .stopped: break
        }
      }
      return nil
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
      } catch {
        try Interruption.check()
        if progress.version < 0 || progress.version == 0 && progress.isBehind { throw error }
        try await show(error, &progress, output)
        await waitForChance(source.database)
      }
    }
    return .stopped(progress)
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
  /// would tell; when the path leads to another file; or when the task is cancelled.
  private func look(for identity: FileIdentity?) async -> Outcome {
    while !Task.isCancelled {
      // Asked for no event, it tells of errors alone.
      var descriptor = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      if poll(&descriptor, 1, 0) > 0 { return .readerLeft }
      if FileIdentity(path: path) != identity { return .fileReplaced }
      try? await Task.sleep(for: .milliseconds(500))
    }
    return .readerLeft
  }
}

/// What makes a file the same file under another name, and another one under the same name.
private struct FileIdentity: Equatable {
  private let device: dev_t
  private let number: ino_t

  /// That of the file a path leads to; nil where there is none.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = status.st_dev
    number = status.st_ino
  }
}

/// The path leads to another file than before, or to none.
private struct ReplacedFile: Error, CustomStringConvertible {
  let path: String
  var description: String { "the file was replaced or removed: \(path)" }
}
