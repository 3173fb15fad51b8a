/// How long some runs of the same work took.
struct Timings {
  private(set) var nanoseconds: [Double] = []

  /// Runs `body` and notes how long it took.
  mutating func measure<Result>(_ body: () throws -> Result) rethrows -> Result {
    let clock = ContinuousClock()
    let start = clock.now
    let result = try body()
    nanoseconds.append((clock.now - start) / .nanoseconds(1))
    return result
  }

  /// The time that a part of the runs did not exceed; 0.5 is the median.
  func percentile(_ part: Double) -> Double {
    let sorted = nanoseconds.sorted()
    guard let last = sorted.last else { return 0 }
    let index = Int((Double(sorted.count) * part).rounded(.up)) - 1
    return sorted.indices.contains(index) ? sorted[index] : last
  }

  var median: Double { percentile(0.5) }
}

/// Keeps the compiler from dropping work whose result nobody needs.
@inline(never)
@_optimize(none)
func use<Value>(_ value: borrowing Value) where Value: ~Copyable {}
