import FetchedResults
import Foundation
import SQLiteStorage
import TableData

/// From nothing to the records of the first fifty rows of a long list, which are shown before its
/// order is read: `performFetch(showingFirst:)` tells the observer, which reads them. How long it
/// takes until the whole list is there is measured beside it.
struct FirstScreen: Workload {
  let id = "P11"
  let title = "first screen of 50 rows"
  private let rowCount = 50

  func run(_ context: Context) async throws -> [Measurement] {
    let store = try ItemStore(rowCount: context.rowCount, in: context.options.folder)
    var times = Times()
    for _ in 0..<context.repetitions(11, quick: 5) { try await measure(store, &times) }

    let rss = try ProcessMemory.peak()
    return [(title, times.first, Target.atMost(2)), ("the whole list", times.whole, .none)].map {
      Measurement(
        self, $0, n: store.rowCount, k: rowCount, unit: "ms", p50: $1.median / 1e6,
        p95: $1.percentile(0.95) / 1e6, rssMB: rss, peer: ("raw", times.raw.median / 1e6),
        target: $2)
    }
  }

  private struct Times {
    var first = Timings()
    var whole = Timings()
    var raw = Timings()
  }

  @MainActor
  private func measure(_ store: ItemStore, _ times: inout Times) async throws {
    let database = try Database(path: store.path, access: .readOnly)
    let query = try RawDatabase(path: store.path).prepare(
      "SELECT \(ItemStore.columns) FROM item ORDER BY \(ItemStore.order) LIMIT \(rowCount)")
    var expected: [Item] = []
    try times.raw.measure { try query.forEachRow { expected.append(Item($0)) } }

    let screen = FirstRows(rowCount)
    let start = sharedNanoseconds()
    let provider = try store.makeProvider(database)
    provider.observer = screen
    try await provider.performFetch(showingFirst: rowCount)
    let end = sharedNanoseconds()
    guard let shown = screen.shown, shown.rows == expected,
      provider.fetchedObjects?.count == store.rowCount
    else { throw BenchError("P11: the rows are wrong") }
    times.first.add(nanoseconds: shown.time - start)
    times.whole.add(nanoseconds: end - start)
  }
}

/// Reads the first rows as soon as they are there.
private final class FirstRows: TableChangesObserver {
  /// When they had been read, and what they were.
  private(set) var shown: (time: Double, rows: [Item])?
  private let count: Int

  init(_ count: Int) { self.count = count }

  func contentWillChange(of sender: any TableChangesSender) {}

  func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
    guard shown == nil, let provider = sender as? FetchedResultsProvider<Item>,
      let rows = provider.fetchedObjects?.prefix(count)
    else { return }
    let items = Array(rows)
    shown = (sharedNanoseconds(), items)
  }

  func content(of sender: any TableChangesSender, didFailWith error: any Error) {}
}
