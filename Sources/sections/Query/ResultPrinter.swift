import FetchedResults
import RowQueries
import SQLiteStorage
import TableData

/// Prints a result in one format, row by row.
struct ResultPrinter {
  let writer: FormatWriter
  let showsIndex: Bool
  let isQuiet: Bool

  /// Makes a printer with the given options.
  init(_ format: FormatOption, _ options: OutputOptions) {
    writer = format.makeWriter(options.style)
    showsIndex = options.index
    isQuiet = options.quiet
  }

  /// Fetches and prints.
  func print(_ query: RowQuery, from database: Database) throws {
    // All rows are of one version.
    try database.withSnapshot { _ in try query.reading { try printRows(of: query, from: database) }
    }
  }

  private func printRows(of query: RowQuery, from database: Database) throws {
    switch writer {
    case .machine(let writer):
      try print(query, query.request, from: database, to: writer) { $0 }
    case .human(let writer) where query.hasDistinctColumns:
      // Only the size of a blob is shown, so only the size is read.
      let columns = query.columns.map(SelectedColumn.withSizeOfBlob)
      try print(query, query.request.columns(columns), from: database, to: writer) { value in
        guard case .blob(let size) = value else { return .value(value) }
        return .blob(byteCount: Int(String(decoding: size, as: UTF8.self)) ?? 0)
      }
    case .human(let writer):
      try print(query, query.request, from: database, to: writer) { .value($0) }
    }
  }

  private func print<Cell>(
    _ query: RowQuery, _ request: FetchRequest<Row>, from database: Database,
    to writer: any ResultWriter<Cell>, cell: (Value) -> Cell
  ) throws {
    var request = request
    // Rows are read once, so there is no point in caching many of them.
    request.fetchBatchSize = 4
    request.isFetchedOnce = true
    let provider = try FetchedResultsProvider(
      database: database, request: request, sectionedBy: query.sectionKey)
    try ProgressIndicator.show("Reading …", isQuiet: isQuiet) { try provider.performFetch() }
    try writer.begin(
      columns: query.columns, isSectioned: query.sectionKey != nil,
      indexTitles: showsIndex ? provider.sectionIndexTitles() : nil,
      hasTotals: !query.totals.isEmpty)
    for (number, section) in provider.sections.enumerated() {
      var header = SectionHeader(of: section, key: try provider.sectionKey(at: number))
      header.totals = query.printed(try provider.totals(at: number))
      try writer.beginSection(header)
      for row in 0..<section.numberOfRows {
        try Interruption.check()
        let path = IndexPath(row: row, section: number)
        let values = try provider.object(at: path).values
        guard values.count == query.columns.count else {
          throw ToolError(
            "the columns have changed since the command began. Run it again", .busy)
        }
        try writer.row(values.map(cell))
      }
      try writer.endSection()
    }
    try writer.end(totals: query.printed(provider.totals ?? []))
  }
}

extension RowQuery {
  /// Whether every column can be read by its name: a SELECT may have two columns of one name.
  fileprivate var hasDistinctColumns: Bool {
    Set(columns.map(\.sqliteFolded)).count == columns.count
  }
}

extension SelectedColumn {
  /// A column's value; for a blob its size, as a blob again to distinguish it from other values.
  ///
  /// SQLite finds the type and the length without reading the value. The column keeps its name.
  fileprivate static func withSizeOfBlob(_ name: String) -> SelectedColumn {
    let column = name.quotedIdentifier
    let size = "CAST(length(\(column)) AS BLOB)"
    return SelectedColumn(
      name: name,
      sql: "CASE typeof(\(column)) WHEN 'blob' THEN \(size) ELSE \(column) END AS \(column)")
  }
}
