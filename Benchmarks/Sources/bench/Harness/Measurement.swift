/// One row of the table.
struct Measurement: Codable, Sendable {
  let id: String
  let workload: String
  /// The number of rows.
  let n: Int
  /// The number of rows that change or are asked for at a time.
  let k: Int
  /// What `p50`, `p95` and `peerP50` are in.
  let unit: String
  let p50: Double
  let p95: Double
  /// Nil where it was not asked for.
  let p99: Double?
  /// The most memory that was resident, in megabytes.
  let rssMB: Double
  let peer: String?
  let peerP50: Double?
  /// How the two compare, in the sense of `target`.
  let ratio: Double?
  let target: String
  /// Whether every run has reached the target.
  private(set) var met: Bool
  /// The `p50` of each run, ascending; nil for a single run.
  private(set) var runs: [Double]?

  private enum CodingKeys: String, CodingKey {
    case id, workload, n, k, unit, p50, p95, p99, peer, ratio, target, met, runs
    case rssMB = "rss_mb"
    case peerP50 = "peer_p50"
  }
}

extension Measurement {
  /// The measurements of several runs as one: the run with the median `p50`.
  static func merged(_ runs: [Measurement]) -> Measurement {
    let runs = runs.sorted { $0.p50 < $1.p50 }
    var median = runs[runs.count / 2]
    guard runs.count > 1 else { return median }
    median.met = runs.allSatisfy(\.met)
    median.runs = runs.map(\.p50)
    return median
  }

  /// The least and the most `p50` of several runs; nil for a single run.
  var spread: (least: Double, most: Double)? {
    guard let runs, let least = runs.first, let most = runs.last else { return nil }
    return (least, most)
  }
}

/// What a measurement has to reach.
enum Target: Sendable {
  /// At most so many times the peer.
  case timesPeer(atMost: Double)
  /// The peer takes at least so many times as much.
  case timesBetter(atLeast: Double)
  /// At most so much, in the measurement's unit.
  case atMost(Double)
  /// The same for the 99th percentile.
  case percentile99(atMost: Double)
  /// No target: just to compare with.
  case none
}

extension Measurement {
  init(
    _ workload: any Workload, _ part: String, n: Int, k: Int = 1, unit: String, p50: Double,
    p95: Double, p99: Double? = nil, rssMB: Double, peer: (name: String, p50: Double)? = nil,
    target: Target
  ) {
    id = workload.id
    self.workload = part
    self.n = n
    self.k = k
    self.unit = unit
    self.p50 = p50
    self.p95 = p95
    self.p99 = p99
    self.rssMB = rssMB
    self.peer = peer?.name
    peerP50 = peer?.p50
    switch target {
    case .timesPeer(let limit):
      let ratio = peer.map { p50 / $0.p50 }
      (self.ratio, self.target) = (ratio, "≤ \(limit.short) × \(peer?.name ?? "")")
      met = ratio ?? .infinity <= limit
    case .timesBetter(let limit):
      let ratio = peer.map { $0.p50 / p50 }
      (self.ratio, self.target) = (ratio, "≥ \(limit.short) × \(peer?.name ?? "")")
      met = ratio ?? 0 >= limit
    case .atMost(let limit):
      (ratio, self.target) = (peer.map { $0.p50 / p50 }, "≤ \(limit.short) \(unit)")
      met = p50 <= limit
    case .percentile99(let limit):
      (ratio, self.target) = (nil, "p99 ≤ \(limit.short) \(unit)")
      met = p99 ?? .infinity <= limit
    case .none:
      (ratio, self.target) = (peer.map { $0.p50 / p50 }, "")
      met = true
    }
  }
}

extension Double {
  /// Three digits, and no more than are needed.
  var short: String {
    guard isFinite else { return "-" }
    var places = 0
    var limit = 100.0
    while places < 3, magnitude < limit, self != rounded(toPlaces: places) {
      places += 1
      limit /= 10
    }
    let rounded = rounded(toPlaces: places)
    return places == 0 ? "\(Int(rounded))" : "\(rounded)"
  }

  /// So many microseconds, in the unit that suits.
  var asDuration: String {
    switch self {
    case ..<1_000: "\(short) µs"
    case ..<1_000_000: "\((self / 1e3).short) ms"
    default: "\((self / 1e6).short) s"
    }
  }

  private func rounded(toPlaces places: Int) -> Double {
    let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
    return (self * scale).rounded() / scale
  }
}
