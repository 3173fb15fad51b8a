import FetchedResults
import Foundation
import RowQueries
import SQLiteStorage

/// Follows the changes of a file, and of each file that takes its place, until the requested number of batches was printed,
/// or the reader closes the pipe.
struct LogFollower: Sendable {
  /// Opens the file that is at the path now.
  let open: @Sendable () throws -> Database
  /// The names of the tables; nil for all.
  let tables: [String]?
  let except: [String]
  /// SQL on the old or the new row; nil for all rows.
  let condition: String?
  /// A saved copy, from which the first batch leads; nil if there is none.
  let since: DatabaseOptions?
  /// Where what was printed is kept; nil if it is not.
  let state: String?
  let failsAtGaps: Bool
  /// The number of batches after which to end; nil for no end.
  let count: Int?
  let endsWithReader: Bool

  /// What is expected of the first batch that comes from a file.
  private enum Start: Equatable {
    case newest, savedCopy, otherFile
  }

  private struct Progress {
    var number = 0
    var start = Start.newest
    /// The version from which the next batch leads; nil for the newest.
    var version: Snapshot?
    /// Keeps the copy of that version, if it has one, until the next log keeps it.
    var reached: LoggedVersion?
    /// The error that was reported last; nil if there was a batch since.
    var message: String?
    var hasBegun = false
    /// Whether the state lacks changes that are not known.
    var isStateBehind = false
  }

  /// Prints the batches.
  ///
  /// - Throws: `Interruption.Error` after a signal, `OutputError` and `ToolError`; before the log has begun `FetchError` and
  ///   `DatabaseError`.
  func run(to output: any LogOutput) async throws {
    try await Interruption.runUntilOneEnds(
      [{ try await follow(output) }]
        + (endsWithReader ? [StandardStreams.waitUntilReaderIsGone] : []))
  }

  private func follow(_ output: any LogOutput) async throws {
    var progress = Progress()
    let kept = state.map(LogState.init)
    if let saved = try savedCopy(kept) {
      (progress.start, progress.version) = (.savedCopy, try saved.snapshot())
    }
    var database: Database? = try open()
    while !Task.isCancelled {
      if let current = database {
        guard try await followOne(current, kept, &progress, output) else { return }
      }
      database = nil
      do {
        database = try open()
      } catch {
        if (error as? DatabaseError)?.code == .fileReplaced, progress.version != nil {
          // The old version keeps the new file from being opened.
          try await tellLoss(error, &progress, output)
        }
        report("\(error)", &progress)
        try? await Task.sleep(for: LogFollower.pause, clock: .suspending)
      }
    }
  }

  private func savedCopy(_ kept: LogState?) throws -> Database? {
    if let since { return try since.openForReading() }
    guard let kept, kept.exists else { return nil }
    var configuration = Database.Configuration()
    configuration.usesWAL = false
    return try .opened(at: kept.path, access: .readOnly, configuration)
  }

  /// Prints the batches of one file, until it is replaced or the log ends.
  ///
  /// - Returns: whether another file may take its place.
  private func followOne(
    _ database: Database, _ kept: LogState?, _ progress: inout Progress, _ output: any LogOutput
  ) async throws -> Bool {
    var log = database.changes(
      tables: tables, except: except, where: condition.map { SQL(verbatim: $0) },
      since: progress.version
    ).makeAsyncIterator()
    var mustBegin = true
    while !Task.isCancelled {
      do {
        if mustBegin {
          try await begin(&log, kept, &progress, output)
          mustBegin = false
        }
        guard let changes = try await log.next() else { return false }
        do {
          try await write(changes, &progress, output)
        } catch {
          // What was not printed is still to be told, or that it was lost.
          log.goBack()
          throw error
        }
        progress.message = nil
        try note(changes, kept, &progress)
        if let count, progress.number >= count { return try end(kept, progress) }
      } catch let error as DatabaseError where error.code == .fileReplaced {
        guard progress.hasBegun else { throw error }
        if mustBegin, progress.version != nil {
          // The version of the file before cannot be read, as if there was no space to copy it.
          try await tellLoss(error, &progress, output)
        } else {
          (progress.start, progress.reached) = (.otherFile, log.version)
          progress.version = progress.reached?.snapshot
        }
        report(error.message, &progress)
        return true
      } catch let error where progress.hasBegun && (error is DatabaseError || error is FetchError) {
        try Interruption.check()
        // The next attempt may be without the error.
        report((error as? DatabaseError)?.commandLineDescription ?? "\(error)", &progress)
        try? await Task.sleep(for: LogFollower.pause, clock: .suspending)
      }
    }
    return false
  }

  /// The time between two attempts to open or read a file.
  private static var pause: Duration { .milliseconds(500) }

  /// - Throws: `ToolError` if the state lacks a batch that was printed.
  private func end(_ kept: LogState?, _ progress: Progress) throws -> Bool {
    if let kept, progress.isStateBehind {
      throw ToolError(
        "\(kept.path) lacks what was printed last, which the next run prints again", .inputOutput)
    }
    return false
  }

  private func begin(
    _ log: inout ChangeLog.Iterator, _ kept: LogState?, _ progress: inout Progress,
    _ output: any LogOutput
  ) async throws {
    let (tables, omitted) = try await log.begin()
    (progress.version, progress.reached) = (nil, nil)
    if let kept, !kept.exists || progress.isStateBehind { try log.withVersion(kept.reset) }
    progress.isStateBehind = false
    guard !progress.hasBegun else { return }
    try await output.begin(tables: tables, omitted: omitted, time: Self.now)
    progress.hasBegun = true
  }

  private func write(
    _ changes: DatabaseChanges, _ progress: inout Progress, _ output: any LogOutput
  ) async throws {
    var gap = changes.gap
    if let bridged = gap, bridged.isBridged {
      switch progress.start {
      case .newest: break
      case .savedCopy: gap = nil
      case .otherFile:
        gap = ChangeGap(reason: "another file took its place", isBridged: true)
      }
    }
    try await write(gap, changes, &progress, output)
    progress.start = .newest
  }

  /// Notes in the state that a batch was printed. If that fails, the next batch writes the whole state.
  private func note(
    _ changes: DatabaseChanges, _ kept: LogState?, _ progress: inout Progress
  ) throws {
    guard let kept else { return }
    do {
      if progress.isStateBehind {
        try changes.withNewVersion(kept.reset)
      } else {
        try kept.note(changes)
      }
      progress.isStateBehind = false
    } catch let error as DatabaseError {
      try Interruption.check()
      progress.isStateBehind = true
      report("\(kept.path): \(error.commandLineDescription)", &progress)
    }
  }

  private func tellLoss(
    _ error: any Error, _ progress: inout Progress, _ output: any LogOutput
  ) async throws {
    (progress.start, progress.version, progress.reached) = (.newest, nil, nil)
    progress.isStateBehind = true
    let gap = ChangeGap(reason: "another file took its place", isBridged: false)
    try await write(gap, nil, &progress, output)
  }

  private func write(
    _ gap: ChangeGap?, _ changes: DatabaseChanges?, _ progress: inout Progress,
    _ output: any LogOutput
  ) async throws {
    if failsAtGaps, let gap {
      throw ToolError("there is a gap: \(gap.reason)", .badData)
    }
    let isPrinted = try await output.write(
      LogBatch(number: progress.number + 1, time: Self.now, gap: gap, changes: changes))
    if isPrinted { progress.number += 1 }
  }

  private func report(_ message: String, _ progress: inout Progress) {
    guard message != progress.message else { return }
    progress.message = message
    Console.report(message)
  }

  /// The time in UTC.
  private static var now: String { Date().formatted(.iso8601) }
}
