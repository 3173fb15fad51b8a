import Dispatch

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

  /// Notes a time that was measured elsewhere.
  mutating func add(nanoseconds time: Double) { nanoseconds.append(time) }

  /// The time that a part of the runs did not exceed; 0.5 is the median.
  func percentile(_ part: Double) -> Double { nanoseconds.percentile(part) }

  var median: Double { percentile(0.5) }

  /// The average: where what happens now and then, such as a checkpoint, is to count.
  var mean: Double {
    nanoseconds.isEmpty ? 0 : nanoseconds.reduce(0, +) / Double(nanoseconds.count)
  }
}

extension [Double] {
  /// The value that a part of all does not exceed; 0 where there is none.
  func percentile(_ part: Double) -> Double {
    let index = Int((Double(count) * part).rounded(.up)) - 1
    return isEmpty ? 0 : sorted()[Swift.min(Swift.max(index, 0), count - 1)]
  }
}

/// The time on a clock that all processes of the machine share.
func sharedNanoseconds() -> Double { Double(DispatchTime.now().uptimeNanoseconds) }

/// Keeps the compiler from dropping work whose result nobody needs.
@inline(never)
@_optimize(none)
func use<Value>(_ value: borrowing Value) where Value: ~Copyable {}
