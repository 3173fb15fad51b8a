/// The change of P2 in lists of other lengths: it should not know how long the list is.
struct ChangeByListLength: Workload {
  let id = "P3"
  let title = "one row's sort key, by length of list"

  func run(_ context: Context) throws -> [Measurement] {
    var measurements: [Measurement] = []
    var shortest: Double?
    for rowCount in [1_000, 10_000, 100_000, 1_000_000] where rowCount <= context.rowCount {
      let store = try ItemStore(rowCount: rowCount, in: context.options.folder).copy(for: self)
      defer { store.remove() }
      var changes = try ItemChanges(store, seed: 3)
      let costs = try changes.costs(
        k: 1, .init(context.repetitions(2_000, quick: 500), lean: 5, grdb: 2))
      measurements += [
        costs.measurement(self, title, n: rowCount, k: 1, against: \.lean, .none),
        costs.measurement(self, title, n: rowCount, k: 1, against: \.grdb, .none),
      ]
      shortest = shortest ?? costs.own.median
      guard rowCount == context.rowCount, let shortest else { continue }
      measurements.append(
        Measurement(
          self, title, n: rowCount, unit: "µs", p50: costs.own.median / 1e3,
          p95: costs.own.percentile(0.95) / 1e3, rssMB: costs.rssMB,
          peer: ("n = 1000", shortest / 1e3), target: .timesPeer(atMost: 3)))
    }
    if !context.options.isQuick { measurements.append(try inChunks(context)) }
    return measurements
  }

  /// A list so long that its index holds chunks of rows, with nobody beside it: the peers would take
  /// half a minute a change.
  private func inChunks(_ context: Context) throws -> Measurement {
    let store = try ItemStore(rowCount: 10 * context.rowCount, in: context.options.folder)
      .copy(for: self)
    defer { store.remove() }
    var changes = try ItemChanges(store, seed: 3)
    let costs = try changes.costs(k: 1, .init(400))
    return costs.measurement(
      self, title + ", held in chunks", n: store.rowCount, k: 1, .none)
  }
}
