import FetchedResults
import SQLiteStorage
import TableData

/// A list that is shown and kept true while it is written, as by a screen with a delegate.
///
/// What is timed is what the user of a list waits for when a write is done: from the moment when
/// `write` has returned until `refresh()` has, which is when the delegate has been told every event
/// and the provider answers with the new content. The commit itself is not part of it.
final class LiveList<Record: Sendable & Equatable> {
  let database: Database
  let provider: FetchedResultsProvider<Record>
  /// How long the commits took, which are not part of what is timed otherwise.
  private(set) var commits = Timings()
  private let screen = Screen<Record>()
  private let checkInterval: Int
  private var mirror: ListMirror<Record>
  private var unchecked: [ListMirror<Record>.Batch] = []
  private var uncheckedRowCount = 0

  /// Fetches a list.
  ///
  /// - Parameters:
  ///   - checker: the connection for fresh queries.
  ///   - checkInterval: after how many changes they are checked. Checking reads much, and a processor
  ///     that has just read much is slow at first.
  init(
    _ provider: FetchedResultsProvider<Record>, _ query: ListMirror<Record>.Query,
    checkedBy checker: RawDatabase,
    every checkInterval: Int = 50
  ) throws {
    database = provider.database
    self.provider = provider
    self.checkInterval = checkInterval
    provider.delegate = screen
    try provider.performFetch()
    mirror = try ListMirror(of: provider, query, in: checker)
  }

  /// Commits, and times the change that follows.
  ///
  /// - Parameter onCommit: called before the list is at the new version.
  /// - Returns: what was told; it is checked by the next ``checkAll()`` at the latest.
  @discardableResult
  func change(
    _ timings: inout Timings, onCommit: () throws -> Void = {},
    _ write: (Connection) throws -> Void
  ) throws -> TableChanges {
    try commits.measure { try database.write(write) }
    try onCommit()
    screen.changes = nil
    try timings.measure { _ = try provider.refresh() }
    guard let changes = screen.changes else { throw BenchError("the change was not told") }
    unchecked.append(try ListMirror.Batch(changes, provider))
    uncheckedRowCount += changes.rowCount
    if unchecked.count >= checkInterval || uncheckedRowCount >= 400 * checkInterval { try check() }
    return changes
  }

  /// Replays what has not been replayed yet, and compares the sections concerned.
  private func check() throws {
    try mirror.replay(unchecked)
    unchecked = []
    uncheckedRowCount = 0
  }

  /// Compares all rows with a fresh query.
  func checkAll() throws {
    try check()
    try mirror.checkAll()
  }
}

/// Takes changes as a screen does.
final class Screen<Record: Sendable>: FetchedResultsProviderDelegate {
  /// The batch told last.
  var changes: TableChanges?

  func provider(_ provider: FetchedResultsProvider<Record>, didChange changes: TableChanges) {
    self.changes = changes
  }
}
