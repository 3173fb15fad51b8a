import Foundation

/// The results of the last run as a page to read: `RESULTS.md`, with `plots/` beside it, and the table
/// of figures in `Documentation/Comparison.md`.
struct Report {
  private let measurements: [Measurement]
  private let date: Date
  private let remark: String

  /// Reads the results of the last run.
  ///
  /// - Throws: `BenchError` where it was a quick one, whose figures say nothing.
  init(remark: String) throws {
    self.remark = remark
    (measurements, date) = try Results.read()
    guard measurements.contains(where: { $0.n >= 1_000_000 }) else {
      throw BenchError("the last run was a quick one: run all of it before")
    }
  }

  /// Writes the files.
  func write() throws {
    let folder = Results.folder.appendingPathComponent("plots")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, plot) in plots {
      try plot.svg.write(
        to: folder.appendingPathComponent("\(name).svg"), atomically: true, encoding: .utf8)
    }
    let file = Results.folder.appendingPathComponent("RESULTS.md")
    try markdown.write(to: file, atomically: true, encoding: .utf8)
    report("written to \(file.path)")
    try Figures(measurements).write()
  }

  // MARK: - Plots

  private var plots: [(name: String, plot: GrowthPlot)] {
    let longest = measurements.filter { $0.id == "P3" }
    let most = measurements.filter { $0.id == "P4" || $0.workload == ManyChanges().title }
    return [
      (
        "growth-n",
        GrowthPlot(
          title: "One row's sort key changes", xLabel: "rows in the list",
          series: series(longest) { Double($0.n) })
      ),
      (
        "growth-k",
        GrowthPlot(
          title: "k of 1,000,000 rows' sort keys change", xLabel: "rows that change",
          series: series(most) { Double($0.k) })
      ),
    ]
  }

  private func series(
    _ measurements: [Measurement], by x: (Measurement) -> Double
  ) -> [GrowthPlot.Series] {
    let own = measurements.filter { $0.peer == "lean" }.map { (x: x($0), microseconds: $0.p50) }
    let peers = [("lean", "#c77700"), ("GRDB", "#b3478f")].map { name, color in
      GrowthPlot.Series(
        name: name, color: color,
        points: measurements.filter { $0.peer == name }.compactMap { row in
          row.peerP50.map { (x: x(row), microseconds: $0) }
        })
    }
    return [.init(name: "FetchedResults", color: "#2f81f7", points: own)] + peers
  }

  // MARK: - Text

  private var markdown: String {
    let missed = measurements.filter { !$0.met }
    var lines = [
      "# Results", "",
      "Written by `bench --report` from one run of `make bench`, and by nothing else.",
      "[README.md](README.md) says what is measured and how, [NOTES.md](NOTES.md) what was tried.",
      "\(Machine.description) Run of \(day).", "",
      "\(measurements.count { !$0.target.isEmpty } - missed.count) of "
        + "\(measurements.count { !$0.target.isEmpty }) targets are met.", "",
    ]
    if !remark.isEmpty { lines += [remark, ""] }
    lines += [
      "## Growth", "", "![cost by the number of rows](plots/growth-n.svg)", "",
      "![cost by the number of changed rows](plots/growth-k.svg)", "",
    ]
    for workload in workloads {
      let rows = measurements.filter { $0.id == workload.id }
      guard !rows.isEmpty else { continue }
      lines += ["## \(workload.id): \(workload.title)", ""] + table(rows) + [""]
      lines += reasons(rows.filter { !$0.met }, of: workload)
      if let note = workload.note { lines += [note, ""] }
    }
    return lines.dropLast().joined(separator: "\n") + "\n"
  }

  /// A line for each reason, with all parts of the workload that it explains.
  private func reasons(_ missed: [Measurement], of workload: any Workload) -> [String] {
    var parts: [(reason: String, names: [String])] = []
    for row in missed {
      let reason = workload.reasonForMissing(row.workload) ?? "the reason is not known."
      if let index = parts.firstIndex(where: { $0.reason == reason }) {
        if !parts[index].names.contains(row.workload) { parts[index].names.append(row.workload) }
      } else {
        parts.append((reason, [row.workload]))
      }
    }
    let lines = parts.map { "- Missed: \($0.names.joined(separator: "; ")). Why: \($0.reason)" }
    return lines.isEmpty ? [] : lines + [""]
  }

  private func table(_ rows: [Measurement]) -> [String] {
    [
      "| what | n | k | p50 | runs | p95 | p99 | peak MB | peer | peer p50 | ratio | target | |",
      "|---|--:|--:|--:|--:|--:|--:|--:|---|--:|--:|---|---|",
    ]
      + rows.map { row in
        let peer = row.peerP50.map { Self.amount($0, row.unit) } ?? ""
        let verdict = row.target.isEmpty ? "" : row.met ? "met" : "**missed**"
        return "| "
          + [
            row.workload, row.n.formatted(), row.k.formatted(), Self.amount(row.p50, row.unit),
            row.spread.map { spread in
              "\(Self.amount(spread.least, row.unit)) – \(Self.amount(spread.most, row.unit))"
            } ?? "",
            Self.amount(row.p95, row.unit), row.p99.map { Self.amount($0, row.unit) } ?? "",
            row.rssMB.short, row.peer ?? "", peer,
            row.ratio?.short ?? "",
            row.target, verdict,
          ].joined(separator: " | ") + " |"
      }
  }

  static func amount(_ value: Double, _ unit: String) -> String {
    switch unit {
    case "µs": value.asDuration
    case "ms": (value * 1e3).asDuration
    default: "\(value.short) \(unit)"
    }
  }

  private var day: String {
    let calendar = Calendar(identifier: .gregorian)
    let parts = calendar.dateComponents([.year, .month, .day], from: date)
    return String(
      format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
  }
}
