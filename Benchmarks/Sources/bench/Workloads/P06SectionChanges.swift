import FetchedResults
import SQLiteStorage
import TableData
import TableDataTesting

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
    let rss = try ProcessMemory.peak()
    // Last, since the versions that it pins keep the log from being started over.
    let floor = try FloorPeer(store)
    var unused = Timings()
    for _ in 0..<context.repetitions(600, quick: 200) {
      let row = Int64.random(in: 1...Int64(store.rowCount), using: &generator)
      let section = ItemStore.section(Int.random(in: 0..<sectionCount, using: &generator))
      try move(row, to: section, in: list, nil, &unused) { try floor.time(touching: [row]) }
    }
    try list.checkAll()

    return [
      ("to another section", crossing), ("a section is born", birth), ("a section dies", death),
    ].flatMap { part, times in
      [Target.atMost(50), .timesPeer(atMost: 2)].map { target in
        Measurement(
          self, "\(part), of \(sectionCount)", n: store.rowCount, unit: "µs",
          p50: times.median / 1e3, p95: times.percentile(0.95) / 1e3, rssMB: rss,
          peer: ("floor", floor.timings.median / 1e3), target: target)
      }
    }
  }

  /// - Parameters:
  ///   - eventCount: how many events say it exactly: one move; or a row that is deleted, one that is
  ///     inserted, and a section. Nil if it is not known.
  ///   - onCommit: called before the list is at the new version.
  private func move(
    _ row: Int64, to section: String, in list: LiveList<Item>, _ eventCount: Int?,
    _ timings: inout Timings, onCommit: () throws -> Void = {}
  ) throws {
    let changes = try list.change(&timings, onCommit: onCommit) {
      try $0.execute("UPDATE item SET section = ? WHERE id = ?", [.text(section), .integer(row)])
    }
    let count =
      changes.rowCount + changes.insertedSections.count + changes.deletedSections.count
    guard eventCount == nil || count == eventCount else {
      throw BenchError("P6: \(count) events instead of \(eventCount ?? 0): \(changes)")
    }
  }
}
