import Foundation

/// The table of figures in `Documentation/Comparison.md`, which is copied from the last run.
struct Figures {
  private let measurements: [Measurement]

  init(_ measurements: [Measurement]) { self.measurements = measurements }

  /// Replaces what is between the two markers.
  func write() throws {
    let url = Results.folder.deletingLastPathComponent()
      .appendingPathComponent("Documentation/Comparison.md")
    let text = try String(contentsOf: url, encoding: .utf8)
    guard let start = text.range(of: "<!-- figures -->\n"),
      let end = text.range(of: "<!-- end of the figures -->")
    else { throw BenchError("\(url.path) has no markers for the figures") }
    let table = try lines.joined(separator: "\n") + "\n"
    try text.replacingCharacters(in: start.upperBound..<end.lowerBound, with: table)
      .write(to: url, atomically: true, encoding: .utf8)
    report("written to \(url.path)")
  }

  private var lines: [String] {
    get throws {
      let change = try row("P2", peer: "GRDB")
      let lean = try row("P2", peer: "lean")
      let group = try row("P17", "GROUP BY, groups of 100, own", peer: "SELECT")
      let aggregates = try row("P18", "count, sum, min, max, own")
      let memory = try row("P10", "memory above baseline")
      let chunks = try row("P10", "above baseline, held in chunks")
      let pausing = try row("P9", "pausing writer")
      let steady = try row("P9s", "writing, age")
      let build = try row("P24", "clean release build")
      let size = try row("P24", "stripped binary")
      return [
        "| medians of the last run; a million rows unless stated otherwise | |",
        "|---|--:|",
        "| one row gets a new sort key: time until the delegate is notified | \(own(change)) |",
        "| the same with GRDB, which fetches and compares; with our fastest index scan "
          + "| \(peer(change)); \(peer(lean)) |",
        "| one row changes in a `GROUP BY` with 10,000 groups; running the SELECT again "
          + "| \(own(group)); \(peer(group)) |",
        "| one row changes in a group of 100,000 rows, with counters for its aggregates "
          + "| \(own(aggregates)) |",
        "| memory for the order; for the whole value in GRDB | \(own(memory)); \(peer(memory)) |",
        "| memory for the order of ten million rows, keeping every 2,048th key | \(own(chunks)) |",
        "| another process commits, with pauses: time until the list shows a commit, median; "
          + "99th percentile | \(both(pausing)) |",
        "| the same without pauses | \(both(steady)) |",
        "| an app's clean release build: CPU time; the same app with GRDB "
          + "| \(own(build)); \(peer(build)) |",
        "| its binary without symbols; with GRDB | \(own(size)); \(peer(size)) |",
      ]
    }
  }

  /// - Parameter peer: the row that is compared with it; nil for the first row.
  private func row(_ id: String, _ part: String = "", peer: String? = nil) throws -> Measurement {
    let row = measurements.first { row in
      row.id == id && row.workload.hasPrefix(part) && (peer == nil || row.peer == peer)
    }
    guard let row else {
      throw BenchError("the last run has no \(id) \(part): run all workloads before the report")
    }
    return row
  }

  private func own(_ row: Measurement) -> String { Report.amount(row.p50, row.unit) }

  private func peer(_ row: Measurement) -> String {
    row.peerP50.map { Report.amount($0, row.unit) } ?? "–"
  }

  private func both(_ row: Measurement) -> String {
    [row.p50, row.p99].compactMap(\.self).map { Report.amount($0, row.unit) }
      .joined(separator: "; ")
  }
}
