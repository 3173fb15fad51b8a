/// How many changes each side is timed with.
struct Turns {
  let own: Int
  let lean: Int
  let grdb: Int
  let floor: Int

  init(_ own: Int, lean: Int = 0, grdb: Int = 0, floor: Int = 0) {
    (self.own, self.lean, self.grdb, self.floor) = (own, lean, grdb, floor)
  }
}

/// What they cost.
struct ChangeCosts {
  let own: Timings
  let lean: Timings
  let grdb: Timings
  let floor: Timings
  /// The most memory before the peers came, with the copy of the list that checks each change.
  let rssMB: Double

  /// A row of the table, in microseconds.
  func measurement(
    _ workload: any Workload, _ part: String, n: Int, k: Int,
    against peer: KeyPath<ChangeCosts, Timings>? = nil, _ target: Target
  ) -> Measurement {
    let names: [KeyPath<ChangeCosts, Timings>: String] = [
      \.lean: "lean", \.grdb: "GRDB", \.floor: "floor",
    ]
    return Measurement(
      workload, part, n: n, k: k, unit: "µs", p50: own.median / 1e3,
      p95: own.percentile(0.95) / 1e3, rssMB: rssMB,
      peer: peer.map { (names[$0] ?? "", self[keyPath: $0].median / 1e3) }, target: target)
  }
}
