import FetchedResults
import SQLiteStorage
import TableData
import TableDataTesting

/// A thousand lists of one database, each of one section's rows, and a commit that concerns one of
/// them: how long until all of them are up to date.
struct ManyProviders: Workload {
  let id = "P14"
  let title = "1,000 live lists, one commit"
  let note: String? = """
    There is one capture and one pin for all, which is checked. A list of one section asks a version \
    once, with all others, what section the touched row is in.
    """
  private let listCount = 1_000

  func run(_ context: Context) async throws -> [Measurement] {
    let store = try ItemStore(
      rowCount: context.rowCount, sectionCount: listCount, in: context.options.folder
    ).copy(for: self)
    defer { store.remove() }
    let repetitions = context.repetitions(60, quick: 20)
    let refreshed = try refreshing(try Lists(of: store, listCount, seed: 14), repetitions)
    let observed = try await observing(store, repetitions)

    let rss = try ProcessMemory.peak()
    let least = try lookUps(store, repetitions)
    return [("refresh() of all", refreshed), ("notified by themselves", observed)].flatMap {
      part, times in
      [Target.atMost(5), .timesPeer(atMost: 2)].map { target in
        Measurement(
          self, "\(title), \(part)", n: store.rowCount, unit: "ms", p50: times.median / 1e6,
          p95: times.percentile(0.95) / 1e6, rssMB: rss,
          peer: ("look-ups", least.median / 1e6), target: target)
      }
    }
  }

  /// The peer: pins the new version, and asks it for each list whether the touched row is in it.
  private func lookUps(_ store: ItemStore, _ repetitions: Int) throws -> Timings {
    let raw = try RawDatabase(path: store.path)
    let begin = try raw.prepare("BEGIN")
    let end = try raw.prepare("COMMIT")
    let lookUp = try raw.prepare("SELECT name FROM item WHERE id = ? AND section = ?")
    let writer = try RawDatabase(path: store.path, readOnly: false)
    let update = try writer.prepare("UPDATE item SET name = ? WHERE id = ?")
    let sections = (0..<listCount).map { Value.text(ItemStore.section($0)) }
    var generator = SeededGenerator(seed: 214)
    var timings = Timings()
    for take in 0..<repetitions {
      let row = Value.integer(Int64.random(in: 1...Int64(store.rowCount), using: &generator))
      try update.run(
        .text(ItemStore.newName(below: store.rowCount, take: take, using: &generator)), row)
      var count = 0
      try timings.measure {
        try begin.run()
        for section in sections {
          try lookUp.bind(row, section)
          try lookUp.forEachRow { _ in count += 1 }
        }
        try end.run()
      }
      guard count == 1 else { throw BenchError("P14: the row is in \(count) lists") }
    }
    return timings
  }

  private func refreshing(_ lists: Lists, _ repetitions: Int) throws -> Timings {
    var timings = Timings()
    for _ in 0..<repetitions {
      let change = try lists.write()
      try timings.measure {
        for provider in lists.providers { _ = try provider.refresh() }
      }
      try lists.check(change)
    }
    return timings
  }

  /// On the main actor, as in an app: until the delegate is told, which is when all lists are at the
  /// new version.
  @MainActor
  private func observing(_ store: ItemStore, _ repetitions: Int) async throws -> Timings {
    // Other names than before: a row that gets the name it has is no change.
    let lists = try Lists(of: store, listCount, seed: 114)
    for provider in lists.providers { provider.startObserving() }
    var timings = Timings()
    for _ in 0..<repetitions {
      let change = try lists.write()
      let start = sharedNanoseconds()
      let end = await withCheckedContinuation { continuation in
        lists.screen.onChange = { continuation.resume(returning: sharedNanoseconds()) }
      }
      timings.add(nanoseconds: end - start)
      // The batch ends first.
      await Task.yield()
      try lists.check(change)
    }
    for provider in lists.providers { provider.stopObserving() }
    return timings
  }
}

/// The lists, and one delegate for all.
private final class Lists {
  let providers: [FetchedResultsProvider<Item>]
  let screen = CountingScreen()
  private let store: ItemStore
  private let database: Database
  private let raw: RawStatement
  private var take = 0
  private var generator: SeededGenerator

  /// What was written, and what the list concerned showed before.
  struct Change {
    let list: Int
    let old: [Item]
  }

  init(of store: ItemStore, _ count: Int, seed: UInt64) throws {
    generator = SeededGenerator(seed: seed)
    self.store = store
    let database = try store.openForWriting()
    self.database = database
    raw = try RawDatabase(path: store.path).prepare(
      "SELECT \(ItemStore.columns) FROM item WHERE section = ? ORDER BY name, id")
    providers = try (0..<count).map { number in
      let section = ItemStore.section(number)
      return try FetchedResultsProvider(
        database: database,
        request: Item.all.filter("\(\.section) = \(section)").sorted(by: \.name))
    }
    for provider in providers {
      provider.delegate = screen
      try provider.performFetch()
    }
  }

  /// Gives a row of one list another sort key.
  func write() throws -> Change {
    let list = Int.random(in: providers.indices, using: &generator)
    let old = Array(try requireObjects(providers[list]))
    let row = old[Int.random(in: old.indices, using: &generator)]
    let name = ItemStore.newName(below: store.rowCount, take: take, using: &generator)
    take += 1
    screen.told = []
    try database.write {
      try $0.execute("UPDATE item SET name = ? WHERE id = ?", [.text(name), .integer(row.id)])
    }
    return Change(list: list, old: old)
  }

  /// Replays the change, and makes sure that no other list was told anything and that all of them
  /// share one version.
  func check(_ change: Change) throws {
    let provider = providers[change.list]
    guard screen.told.count == 1, let told = screen.told.first, told.provider === provider else {
      throw BenchError("P14: \(screen.told.count) lists were told of a change in one")
    }
    var fresh: [Item] = []
    try raw.bind(.text(ItemStore.section(change.list)))
    try raw.forEachRow { fresh.append(Item($0)) }
    let replayed = try told.changes.applied(to: [change.old]) { try provider.object(at: $0) }
    guard replayed == [fresh], Array(try requireObjects(provider)) == fresh else {
      throw BenchError("P14: the changes do not lead to the new rows")
    }
    let version = provider.databaseSnapshot
    guard version != nil, providers.allSatisfy({ $0.databaseSnapshot === version }) else {
      throw BenchError("P14: the lists show several versions")
    }
  }
}

/// Notes which lists were told of changes.
private final class CountingScreen: FetchedResultsProviderDelegate {
  var told: [(provider: FetchedResultsProvider<Item>, changes: TableChanges)] = []
  var onChange: (() -> Void)?

  func provider(_ provider: FetchedResultsProvider<Item>, didChange changes: TableChanges) {
    told.append((provider, changes))
    onChange?()
    onChange = nil
  }
}
