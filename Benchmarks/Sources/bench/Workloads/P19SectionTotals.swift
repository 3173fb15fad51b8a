import CSQLite
import FetchedResults
import SQLiteStorage
import TableDataTesting

/// A list with totals of its sections, beside the same list without them.
struct SectionTotals: Workload {
  let id = "P19"
  let title = "count, sum and max of each section"
  let note: String? = """
    The peer is the same list without totals. The index that has the order also has the column of the
    totals, for both.
    """

  func run(_ context: Context) throws -> [Measurement] {
    let store = try ItemStore(rowCount: context.rowCount, in: context.options.folder)
      .copy(for: self)
    defer { store.remove() }
    let raw = try RawDatabase(path: store.path, readOnly: false)
    try raw.execute(
      "DROP INDEX item_list; CREATE INDEX item_list ON item(section, name, id, value)")
    let database = try store.openForWriting()
    let requests = [Item.list.totals(.count, .sum(\.value), .max(\.value)), Item.list]
    var fetches = [Timings(), Timings()]
    var changes = [Timings(), Timings()]
    for _ in 0..<context.repetitions(7, quick: 3) {
      for (index, request) in requests.enumerated() {
        use(try fetches[index].measure { try list(request, database) })
      }
    }
    let lists = try requests.map { try list($0, database) }
    let screens = lists.map { list in
      let screen = Screen<Item>()
      list.delegate = screen
      return screen
    }
    var generator = SeededGenerator(seed: 19)
    for take in 0..<context.repetitions(1_000, quick: 300) {
      let id = Int64.random(in: 1...Int64(store.rowCount), using: &generator)
      let name = ItemStore.newName(below: store.rowCount, take: take, using: &generator)
      let value = Int64.random(in: 0..<1_000_000, using: &generator)
      try database.write {
        try $0.execute(
          "UPDATE item SET name = ?, value = ? WHERE id = ?",
          [.text(name), .integer(value), .integer(id)])
      }
      // Either is first at every other turn, since the second finds warm pages.
      for index in take.isMultiple(of: 2) ? [0, 1] : [1, 0] {
        screens[index].changes = nil
        try changes[index].measure { _ = try lists[index].refresh() }
        guard screens[index].changes?.rowCount == 1 else {
          throw BenchError("P19: one row was changed, and \(screens[index].changes as Any) told")
        }
      }
      guard screens[0].changes?.updatedSections.count == 1 else {
        throw BenchError("P19: the totals of a section changed, and no event says so")
      }
    }
    try check(lists[0], raw)
    let rss = try ProcessMemory.peak()
    return [
      Measurement(
        self, "first fetch", n: store.rowCount, k: store.rowCount, unit: "ms",
        p50: fetches[0].median / 1e6, p95: fetches[0].percentile(0.95) / 1e6, rssMB: rss,
        peer: ("no totals", fetches[1].median / 1e6), target: .timesPeer(atMost: 1.5)),
      Measurement(
        self, "one row's value and sort key change", n: store.rowCount, k: 1, unit: "µs",
        p50: changes[0].median / 1e3, p95: changes[0].percentile(0.95) / 1e3, rssMB: rss,
        peer: ("no totals", changes[1].median / 1e3), target: .timesPeer(atMost: 1.3)),
    ]
  }

  private func list(
    _ request: FetchRequest<Item>, _ database: Database
  ) throws -> FetchedResultsProvider<Item> {
    let provider = try FetchedResultsProvider(
      database: database, request: request, sectionedBy: \.section)
    try provider.performFetch()
    return provider
  }

  private func check(_ provider: FetchedResultsProvider<Item>, _ raw: RawDatabase) throws {
    var section = 0
    try raw.prepare(
      """
      SELECT count(*), sum(value), max(value) FROM item GROUP BY section ORDER BY section
      """
    ).forEachRow { row in
      let expected = (0..<Int32(3)).map { Value.integer(sqlite3_column_int64(row, $0)) }
      guard try provider.totals(at: section).values == expected else {
        throw BenchError("P19: the totals of section \(section) are wrong")
      }
      section += 1
    }
    guard section == provider.sections.count else { throw BenchError("P19: sections are missing") }
  }
}
