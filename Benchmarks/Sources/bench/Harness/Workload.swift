/// A workload of `docs/performance.md`. Each is one file in `Workloads/`, listed in ``workloads``.
protocol Workload: Sendable {
  /// Its number, such as `P1`.
  var id: String { get }
  /// What it measures, in a few words.
  var title: String { get }
  /// What to know beside the figures, such as where the time goes; nil for nothing.
  var note: String? { get }

  /// Measures, and then checks every answer against a fresh query.
  ///
  /// - Throws: `BenchError` where an answer is wrong.
  func run(_ context: Context) async throws -> [Measurement]

  /// Does the part of that name, in a process of its own: see ``Context/probe(_:of:)``.
  func probe(_ name: String, _ context: Context) async throws -> [Double]
}

extension Workload {
  var note: String? { nil }

  func probe(_ name: String, _ context: Context) throws -> [Double] {
    throw BenchError("\(id) has no part \(name)")
  }
}

/// All workloads, in the order of the table.
let workloads: [any Workload] = [
  FirstFetch(), OneChange(), ChangeByListLength(), ChangeByRowCount(), ManyChanges(),
  SectionChanges(), JoinChanges(), LimitedList(), OtherProcess(), WriterStorm(), MemoryUse(),
  FirstScreen(), CaptureCost(), LogLength(), ManyProviders(), ObjectAccess(), EventCounts(),
  LiveSelects(), HeldAggregatesOfGroups(), SectionTotals(), RequestChange(), Inserts(),
  SharedLoops(), ComparedSelects(), AppBuild(),
  ChangeLogBatches(), Records(),
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

  /// Runs a part of a workload in a process beside this one, which continues meanwhile.
  func probeBeside(_ name: String, of workload: any Workload) async throws -> [Double] {
    try await ChildProcess.runBeside(
      ["--probe", workload.id, name] + options.forwarded, as: [Double].self)
  }
}
