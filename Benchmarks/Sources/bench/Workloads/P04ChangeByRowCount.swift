/// Commits that each give some rows another sort key, up to one in a hundred.
struct ChangeByRowCount: Workload {
  let id = "P4"
  let title = "k rows' sort keys change"

  func run(_ context: Context) throws -> [Measurement] {
    let store = try ItemStore(rowCount: context.rowCount, in: context.options.folder)
      .copy(for: self)
    defer { store.remove() }
    var changes = try ItemChanges(store, seed: 4)
    let cases: [(k: Int, own: Int, target: Target)] = [
      (1, 400, .none), (10, 200, .none), (100, 100, .atMost(1_000)), (1_000, 30, .none),
      (10_000, 8, .atMost(80_000)),
    ]
    return try cases.flatMap { k, own, target in
      let turns = context.repetitions(own, quick: max(4, own / 4))
      let costs = try changes.costs(k: k, .init(turns, lean: 3, grdb: 1, floor: turns / 2))
      return [
        costs.measurement(self, title, n: store.rowCount, k: k, against: \.lean, target),
        costs.measurement(self, title, n: store.rowCount, k: k, against: \.grdb, .none),
        costs.measurement(
          self, title, n: store.rowCount, k: k, against: \.floor,
          k < 100 ? .none : .timesPeer(atMost: 2)),
      ]
    }
  }
}
