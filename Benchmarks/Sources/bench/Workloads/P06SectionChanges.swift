import FetchedResults
import SQLiteStorage
import TableData

/// Rows go to other sections, which are born with their first row and die with their last, in a list
/// of many sections.
struct SectionChanges: Workload {
  let id = "P6"
  let title = "a row changes its section"

  func run(_ context: Context) throws -> [Measurement] {
    let sectionCount = context.rowCount / 100
    let store = try ItemStore(
      rowCount: context.rowCount, sectionCount: sectionCount, in: context.options.folder
    ).copy(for: self)
    defer { store.remove() }
    let list = try LiveList(
      try store.makeProvider(try store.openForWriting()), ItemStore.query,
      checkedBy: try RawDatabase(path: store.path))
    var crossing = Timings()
    var birth = Timings()
    var death = Timings()
    var generator = SeededGenerator(seed: 6)

    for turn in 0..<context.repetitions(600, quick: 200) {
      let row = Int64.random(in: 1...Int64(store.rowCount), using: &generator)
      // The third is between the others in the list's order, and was not there.
      let targets = (0..<3).map { _ in
        ItemStore.section(Int.random(in: 0..<sectionCount, using: &generator))
      }
      try move(row, to: targets[0], in: list, turn == 0 ? nil : 1, &crossing)
      try move(row, to: targets[1] + " (new)", in: list, 3, &birth)
      try move(row, to: targets[2], in: list, 3, &death)
    }
    try list.checkAll()

    let rss = try ProcessMemory.peak()
    return [
      ("to another section", crossing), ("a section is born", birth), ("a section dies", death),
    ].map { part, times in
      Measurement(
        self, "\(part), of \(sectionCount)", n: store.rowCount, unit: "µs", p50: times.median / 1e3,
        p95: times.percentile(0.95) / 1e3, rssMB: rss, target: .atMost(50))
    }
  }

  /// - Parameter eventCount: how many events say it exactly: one move; or a row that goes, one that
  ///   comes, and a section.
  private func move(
    _ row: Int64, to section: String, in list: LiveList<Item>, _ eventCount: Int?,
    _ timings: inout Timings
  ) throws {
    let changes = try list.change(&timings) {
      try $0.execute("UPDATE item SET section = ? WHERE id = ?", [.text(section), .integer(row)])
    }
    let count =
      changes.rowCount + changes.insertedSections.count + changes.deletedSections.count
    guard eventCount == nil || count == eventCount else {
      throw BenchError("P6: \(count) events instead of \(eventCount ?? 0): \(changes)")
    }
  }
}
