/// One row's sort key changes: it moves somewhere else in its section.
struct OneChange: Workload {
  let id = "P2"
  let title = "one row's sort key changes"

  func run(_ context: Context) throws -> [Measurement] {
    let store = try ItemStore(rowCount: context.rowCount, in: context.options.folder)
      .copy(for: self)
    defer { store.remove() }
    var changes = try ItemChanges(store, seed: 2)
    let turns = context.repetitions(2_000, quick: 500)
    let costs = try changes.costs(k: 1, .init(turns, lean: 10, grdb: 3, floor: turns / 2))

    return [
      costs.measurement(self, title, n: store.rowCount, k: 1, .atMost(50)),
      costs.measurement(
        self, title, n: store.rowCount, k: 1, against: \.floor, .timesPeer(atMost: 2)),
      costs.measurement(
        self, title, n: store.rowCount, k: 1, against: \.grdb, .timesBetter(atLeast: 30_000)),
      costs.measurement(
        self, title, n: store.rowCount, k: 1, against: \.lean, .timesBetter(atLeast: 2_000)),
    ]
  }
}
