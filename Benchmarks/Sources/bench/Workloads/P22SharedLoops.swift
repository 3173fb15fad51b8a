import FetchedResults
import Foundation
import SQLiteStorage
import TableData
import TableDataTesting

/// A thousand loops over one request, and one commit: until all of them have its changes.
///
/// Threads and memory are counted with one loop and with all of them.
struct SharedLoops: Workload {
  let id = "P22"
  let title = "1,000 loops over one request, one commit"
  private let loopCount = 1_000

  func run(_ context: Context) async throws -> [Measurement] {
    let store = try ItemStore(rowCount: context.rowCount, in: context.options.folder)
      .copy(for: self)
    defer { store.remove() }
    let repetitions = context.repetitions(60, quick: 20)
    let database = try store.openForWriting()
    let counter = ArrivalCounter()
    func start(_ count: Int) async -> [Task<Void, any Error>] {
      let updates = FetchedUpdates(
        database: database, request: Item.list, sectionedBy: .property(\.section))
      let tasks = (0..<count).map { _ in
        Task { for try await update in updates { await counter.count(update.new.objects.count) } }
      }
      await counter.wait(for: count)
      return tasks
    }

    var tasks = await start(1)
    let (threads, memory) = (try ProcessMemory.threadCount(), try ProcessMemory.current())
    tasks += await start(loopCount - 1)
    let perLoop = (try ProcessMemory.current() - memory) * 1_000 / Double(loopCount - 1)

    var generator = SeededGenerator(seed: 22)
    var timings = Timings()
    for take in 0..<repetitions {
      let name = ItemStore.newName(below: store.rowCount, take: take, using: &generator)
      let row = Int64.random(in: 1...Int64(store.rowCount), using: &generator)
      let start = sharedNanoseconds()
      try await database.write { connection in
        try connection.execute("UPDATE item SET name = \(name) WHERE id = \(row)")
      }
      await counter.wait(for: loopCount)
      timings.add(nanoseconds: sharedNanoseconds() - start)
    }
    let newThreads = try ProcessMemory.threadCount() - threads
    for task in tasks { task.cancel() }

    let peak = try ProcessMemory.peak()
    func measurement(_ name: String, _ unit: String, _ value: Double, _ target: Target)
      -> Measurement
    {
      Measurement(
        self, "\(title), \(name)", n: store.rowCount, unit: unit, p50: value, p95: value,
        rssMB: peak, target: target)
    }
    return [
      Measurement(
        self, "\(title), all have it", n: store.rowCount, unit: "ms", p50: timings.median / 1e6,
        p95: timings.percentile(0.95) / 1e6, rssMB: peak, target: .atMost(20)),
      measurement("memory of a loop", "KB", perLoop, .atMost(64)),
      measurement("threads more than with one loop", "", Double(newThreads), .none),
    ]
  }
}

/// Counts the elements that all loops have received.
private actor ArrivalCounter {
  private var received = 0
  private var waiting: (count: Int, continuation: CheckedContinuation<Void, Never>)?

  /// - Parameter rowCount: read, so that no loop skips its element.
  func count(_ rowCount: Int) {
    use(rowCount)
    received += 1
    resume()
  }

  /// Waits for some more elements.
  func wait(for count: Int) async {
    await withCheckedContinuation { continuation in
      waiting = (count, continuation)
      resume()
    }
  }

  private func resume() {
    guard let waiting, received >= waiting.count else { return }
    received -= waiting.count
    self.waiting = nil
    waiting.continuation.resume()
  }
}
