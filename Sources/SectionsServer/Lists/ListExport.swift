import FetchedResults
import RowQueries
import SQLiteStorage

/// Sends some bytes of a file, and waits until there is room for more.
typealias SendPiece = @Sendable ([UInt8]) async throws -> Void

/// The rows of one version as a file, which is made while it is sent.
///
/// The version stays in the database until the end, so there is a limit of time.
///
/// A queue of its own, since SQLite waits for the disk.
actor ListExport {
  private nonisolated let executor = QueueExecutor("sections.export")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  enum Format: String, CaseIterable {
    case csv, json, ndjson

    var type: String {
      switch self {
      case .csv: "text/csv; charset=utf-8"
      case .json: "application/json; charset=utf-8"
      case .ndjson: "application/x-ndjson; charset=utf-8"
      }
    }
  }

  private let format: Format
  private let version: ServedList.Version
  private let time: Duration

  init(format: Format, version: ServedList.Version, time: Duration) {
    self.format = format
    self.version = version
    self.time = time
  }

  /// Ends a batch: there is enough to send.
  private struct IsFull: Error {}

  /// Passes the file to `send` in pieces.
  ///
  /// Memory: 64 KiB of rows, or one longer row.
  func write(_ send: SendPiece) async throws {
    let end = ContinuousClock.now + time
    let (snapshot, query) = (version.snapshot, version.query)
    let output = OutputBuffer()
    let writer: any ResultWriter<Value> =
      switch format {
      case .csv: DelimitedWriter(.csv, to: output)
      case .json: JSONWriter(to: output)
      case .ndjson: NDJSONWriter(to: output)
      }
    try writer.begin(
      columns: snapshot.columnNames, isSectioned: query.sectionKey != nil, indexTitles: nil,
      hasTotals: !query.totals.isEmpty)
    var batchSize = 100
    for section in 0..<snapshot.numberOfSections {
      try writer.beginSection(query.header(of: section, in: snapshot))
      var rows = snapshot.rows(inSection: section)
      while !rows.isEmpty {
        guard ContinuousClock.now < end else { throw CancellationError() }
        let batch = rows.prefix(batchSize)
        let before = output.bytes.count
        var count = 0
        do {
          try snapshot.forEachObject(at: batch) { row in
            try writer.row(row.values)
            count += 1
            if output.bytes.count >= OutputBuffer.flushThreshold { throw IsFull() }
          }
        } catch is IsFull {
          // The next rows may be any number of times as long.
        }
        rows = rows.dropFirst(count)
        let length = max(1, output.bytes.count - before)
        // As many as are likely to be written: the keys of all rows of a batch are looked up.
        batchSize = min(1_000, max(1, count * OutputBuffer.flushThreshold / length))
        if output.bytes.count >= OutputBuffer.flushThreshold { try await send(output.take()) }
      }
      try writer.endSection()
    }
    try writer.end(totals: query.printed(snapshot.totals.values))
    try await send(output.take())
  }
}
