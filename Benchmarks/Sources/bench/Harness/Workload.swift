/// A workload of `docs/performance.md`. Each is one file in `Workloads/`, listed in ``workloads``.
protocol Workload: Sendable {
  /// Its number, such as `P1`.
  var id: String { get }
  /// What it measures, in a few words.
  var title: String { get }

  /// Measures, and then checks every answer against a fresh query.
  ///
  /// - Throws: `BenchError` where an answer is wrong.
  func run(_ context: Context) throws -> [Measurement]

  /// Does the part of that name, in a process of its own: see ``Context/probe(_:of:)``.
  func probe(_ name: String, _ context: Context) throws -> [Double]
}

extension Workload {
  func probe(_ name: String, _ context: Context) throws -> [Double] {
    throw BenchError("\(id) has no part \(name)")
  }
}

/// All workloads, in the order of the table.
let workloads: [any Workload] = [
  FirstFetch(), MemoryUse(), ObjectAccess(),
]

/// What a workload is given.
struct Context {
  let options: Options

  init(_ options: Options) { self.options = options }

  /// The number of rows of the large workloads.
  var rowCount: Int { options.isQuick ? 100_000 : 1_000_000 }

  /// `full`, or `quick` where the run is to be a short one.
  func repetitions(_ full: Int, quick: Int) -> Int { options.isQuick ? quick : full }

  /// Runs a part of a workload in a fresh process.
  func probe(_ name: String, of workload: any Workload) throws -> [Double] {
    try ChildProcess.run(
      ["--probe", workload.id, name] + options.forwarded, as: [Double].self)
  }
}
