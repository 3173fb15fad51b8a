/// The measurements as text, in columns.
struct Table {
  let text: String

  init(_ measurements: [Measurement]) {
    let head = [
      "", "workload", "n", "k", "unit", "p50", "runs", "p95", "p99", "peak MB", "peer",
      "peer p50", "ratio", "target", "met",
    ]
    let rows = measurements.map { row in
      [
        row.id, row.workload, "\(row.n)", "\(row.k)", row.unit, row.p50.short,
        row.spread.map { "\($0.least.short)–\($0.most.short)" } ?? "", row.p95.short,
        row.p99?.short ?? "", row.rssMB.short, row.peer ?? "", row.peerP50?.short ?? "",
        row.ratio?.short ?? "", row.target, row.target.isEmpty ? "" : row.met ? "yes" : "NO",
      ]
    }
    let numeric: Set = [2, 3, 5, 6, 7, 8, 9, 11, 12]
    let widths = head.indices.map { column in
      ([head] + rows).map { $0[column].count }.max() ?? 0
    }
    text = ([head] + rows).map { cells in
      cells.enumerated().map { column, cell in
        let padding = String(repeating: " ", count: widths[column] - cell.count)
        return numeric.contains(column) ? padding + cell : cell + padding
      }.joined(separator: "  ")
    }.joined(separator: "\n")
  }
}
