import FetchedResults
import SQLiteStorage
import TableData

/// A list on the main actor that goes to each new version by itself, as in an app.
@MainActor
final class ObservedList {
  private let recorder = Recorder()
  private let provider: FetchedResultsProvider<Item>
  private var mirror: ListMirror<Item>

  /// Fetches the list, and begins to observe.
  init(_ store: ItemStore, in database: Database) throws {
    provider = try store.fetchedProvider(database)
    mirror = try ListMirror(
      of: provider, ItemStore.query, in: try RawDatabase(path: store.path))
    provider.delegate = recorder
    provider.startObserving()
  }

  /// What was told so far: when, and which of the numbered commits the new version has.
  var arrivals: [Arrival] { recorder.arrivals }

  /// Waits until a commit has been told, then replays everything against a fresh query.
  func finish(after commit: Int) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while recorder.arrivals.last?.commit ?? 0 < commit {
      if let error = recorder.error { throw error }
      guard ContinuousClock.now < deadline else {
        throw BenchError(
          "commit \(commit) was lost: \(recorder.arrivals.last?.commit ?? 0) is told")
      }
      try await Task.sleep(for: .milliseconds(5))
    }
    provider.stopObserving()
    try mirror.replay(recorder.batches)
    try mirror.checkAll()
  }
}

/// A batch that was told.
struct Arrival: Sendable {
  /// On the clock of ``sharedNanoseconds()``.
  let time: Double
  /// The last commit that it has.
  let commit: Int
}

/// Notes what a provider tells.
private final class Recorder: FetchedResultsProviderDelegate {
  private(set) var arrivals: [Arrival] = []
  private(set) var batches: [ListMirror<Item>.Batch] = []
  private(set) var error: (any Error)?

  func provider(_ provider: FetchedResultsProvider<Item>, didChange changes: TableChanges) {
    let time = sharedNanoseconds()
    do {
      batches.append(try ListMirror.Batch(changes, provider))
      let commit = try provider.databaseSnapshot?.read { try CommitNumber.read($0) } ?? 0
      arrivals.append(Arrival(time: time, commit: commit))
    } catch {
      self.error = error
    }
  }

  func provider(_ provider: FetchedResultsProvider<Item>, didFailWith error: any Error) {
    self.error = error
  }
}

/// The number of the last commit, in a table beside the list: each commit writes it.
enum CommitNumber {
  static let makeTable = "CREATE TABLE tick(id INTEGER PRIMARY KEY, number INTEGER NOT NULL)"
  static let insert = "INSERT INTO tick VALUES (1, 0)"
  static let update = "UPDATE tick SET number = ? WHERE id = 1"

  static func read(_ connection: Connection) throws -> Int {
    try connection.value(Int.self, "SELECT number FROM tick") ?? 0
  }
}
