import FetchedResults
import Foundation
import SQLiteStorage
import TableData

/// Another request of a long list: a filter that leaves one row in a hundred, back to all rows, another
/// order, and silently. Beside each a fresh fetch of the larger of the two results.
struct RequestChange: Workload {
  let id = "P20"
  let title = "setRequest"

  private static let filtered = Item.list.filter("id % 100 = 0")
  private static let reversed = Item.all.sorted(by: \.name, .descending)

  /// A change of the request, and its larger side.
  private struct Step {
    let title: String
    let request: FetchRequest<Item>
    let larger: FetchRequest<Item>
    let target: Target
    var silently = false
    var own = Timings()
    var fresh = Timings()
    /// The longest time without a turn for another task of the actor.
    var blocked = Timings()
  }

  func run(_ context: Context) async throws -> [Measurement] {
    let store = try ItemStore(rowCount: context.rowCount, in: context.options.folder)
    let database = try Database(path: store.path, access: .readOnly)
    var steps = [
      Step(
        title: "to one row in a hundred", request: Self.filtered, larger: Item.list,
        target: .timesPeer(atMost: 2)),
      Step(
        title: "back to all rows", request: Item.list, larger: Item.list,
        target: .timesPeer(atMost: 2)),
      Step(
        title: "to the reverse order", request: Self.reversed, larger: Self.reversed,
        target: .timesPeer(atMost: 2)),
      Step(
        title: "back, silently", request: Item.list, larger: Item.list,
        target: .timesPeer(atMost: 1.1), silently: true),
    ]
    for _ in 0..<context.repetitions(7, quick: 3) { try measure(&steps, store, database) }
    let rss = try ProcessMemory.peak()
    for _ in 0..<context.repetitions(5, quick: 2) {
      steps = try await measureBlocking(steps, store, database)
    }
    return steps.flatMap { step in
      [
        Measurement(
          self, "\(title) \(step.title)", n: store.rowCount, k: store.rowCount, unit: "ms",
          p50: step.own.median / 1e6, p95: step.own.percentile(0.95) / 1e6, rssMB: rss,
          peer: ("fresh fetch", step.fresh.median / 1e6), target: step.target),
        Measurement(
          self, "await \(title) \(step.title), actor blocked", n: store.rowCount, k: store.rowCount,
          unit: "ms", p50: step.blocked.median / 1e6, p95: step.blocked.percentile(0.95) / 1e6,
          rssMB: rss, target: .atMost(5)),
      ]
    }
  }

  private func measure(
    _ steps: inout [Step], _ store: ItemStore, _ database: Database
  ) throws {
    let provider = try store.fetchedProvider(database)
    let observer = CountingObserver()
    provider.observer = observer
    for index in steps.indices {
      let fresh = try FetchedResultsProvider(
        database: database, request: steps[index].larger, sectionedBy: \.section)
      try steps[index].fresh.measure { try fresh.performFetch() }
      let step = steps[index]
      let old = provider.fetchedObjects?.count ?? 0
      _ = try steps[index].own.measure {
        try provider.setRequest(step.request, silently: step.silently)
      }
      try check(provider, step, observer.changes, from: old, database)
    }
  }

  @MainActor
  private func measureBlocking(
    _ steps: [Step], _ store: ItemStore, _ database: Database
  ) async throws -> [Step] {
    var steps = steps
    let provider = try store.fetchedProvider(database)
    let observer = CountingObserver()
    provider.observer = observer
    for index in steps.indices {
      let step = steps[index]
      let old = provider.fetchedObjects?.count ?? 0
      let meter = Task { @MainActor in
        var longest = 0.0
        var last = sharedNanoseconds()
        while !Task.isCancelled {
          await Task.yield()
          let now = sharedNanoseconds()
          longest = max(longest, now - last)
          last = now
        }
        return longest
      }
      // The changes of the step before belong to the caller: freeing them is not part of this step.
      observer.changes = TableChanges()
      await Task.yield()
      try await provider.setRequest(step.request, silently: step.silently)
      await Task.yield()
      meter.cancel()
      steps[index].blocked.add(nanoseconds: await meter.value)
      try check(provider, step, observer.changes, from: old, database)
    }
    return steps
  }

  /// The rows are those of a fresh fetch, and so many are deleted, inserted and moved.
  private func check(
    _ provider: FetchedResultsProvider<Item>, _ step: Step, _ changes: TableChanges, from old: Int,
    _ database: Database
  ) throws {
    let fresh = try FetchedResultsProvider(
      database: database, request: step.request, sectionedBy: \.section)
    try fresh.performFetch()
    guard provider.sections == fresh.sections,
      try provider.sections.indices.allSatisfy({ section in
        let last = IndexPath(row: provider.sections[section].numberOfRows - 1, section: section)
        return try provider.identity(at: last) == fresh.identity(at: last)
      })
    else { throw BenchError("P20: the rows are wrong") }
    guard !step.silently else { return }
    let new = provider.fetchedObjects?.count ?? 0
    guard old - changes.deletedRows.count + changes.insertedRows.count == new,
      changes.updatedRows.isEmpty, min(changes.deletedRows.count, changes.insertedRows.count) == 0,
      old != new || changes.movedRows.count == new - provider.sections.count
    else { throw BenchError("P20: the changes are wrong: \(changes.rowCount)") }
  }
}

/// Keeps the last changes.
private final class CountingObserver: TableChangesObserver {
  var changes = TableChanges()

  func contentWillChange(of sender: any TableChangesSender) {}

  func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
    self.changes = changes
  }

  func content(of sender: any TableChangesSender, didFailWith error: any Error) {
    report("    \(error)")
  }
}
