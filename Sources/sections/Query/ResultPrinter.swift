import FetchedResults
import RowQueries
import SQLiteStorage

/// Prints a result in one format, row by row, as SQLite returns the rows.
struct ResultPrinter {
  private let format: FormatOption
  private let options: OutputOptions

  init(_ format: FormatOption, _ options: OutputOptions) {
    self.format = format
    self.options = options
  }

  func print(_ query: RowQuery, in connection: Connection) throws {
    try query.reading {
      switch format.makeWriter(options.style) {
      case .machine(let writer):
        try print(query, query.request, in: connection, to: writer) { $0 }
      case .human(let writer) where query.hasDistinctColumns:
        // Only the size of a blob is shown, so only the size is read.
        let columns = query.columns.map(SelectedColumn.withSizeOfBlob)
        try print(query, query.request.columns(columns), in: connection, to: writer) { values in
          values.map { value in
            guard case .blob(let size) = value else { return DisplayCell(value) }
            return DisplayCell(blobOfSize: Int(String(decoding: size, as: UTF8.self)) ?? 0)
          }
        }
      case .human(let writer):
        try print(query, query.request, in: connection, to: writer) { values in
          values.map { DisplayCell($0) }
        }
      }
    }
  }

  private func print<Cell>(
    _ query: RowQuery, _ request: FetchRequest<Row>, in connection: Connection,
    to writer: any ResultWriter<Cell>, cells: ([Value]) -> [Cell]
  ) throws {
    let rows = try connection.fetchCursor(request, sectionedBy: query.sectionKey)
    let isSectioned = query.sectionKey != nil
    let hasTotals = !query.totals.isEmpty
    let counted =
      hasTotals || format.effective.countsRows(isSectioned: isSectioned)
      ? try connection.fetchSectionCursor(query.request, sectionedBy: query.sectionKey) : nil
    // Until the first row is there, SQLite sorts or counts.
    let begin = try ProgressIndicator.show("Reading …", isQuiet: options.quiet) {
      (
        totals: hasTotals
          ? try connection.fetchTotals(query.request, sectionedBy: query.sectionKey).values : [],
        titles: options.index ? try indexTitles(of: query, in: connection) : nil,
        section: try counted?.next(), hasSection: try rows.nextSection(), row: try rows.next()
      )
    }
    try writer.begin(
      columns: query.columns, isSectioned: isSectioned, indexTitles: begin.titles,
      hasTotals: hasTotals)
    var (isInSection, section, next) = (begin.hasSection, begin.section, begin.row)
    while isInSection {
      var header = SectionHeader(
        key: rows.sectionKey, title: rows.sectionName, count: section?.info.numberOfRows ?? 0)
      header.totals = query.printed(section?.totals.values ?? [])
      try writer.beginSection(header)
      var count = 0
      while let row = next {
        // Takes a lock.
        if count % 64 == 0 { try Interruption.check() }
        try writer.row(cells(row.values))
        count += 1
        next = try rows.next()
      }
      if counted != nil, section?.info.numberOfRows != count { throw ToolError.otherRows }
      try writer.endSection()
      section = try counted?.next()
      isInSection = try rows.nextSection()
      next = try rows.next()
    }
    if section != nil { throw ToolError.otherRows }
    try writer.end(totals: query.printed(begin.totals))
  }

  private func indexTitles(of query: RowQuery, in connection: Connection) throws -> [String] {
    let sections = try connection.fetchSectionCursor(query.request, sectionedBy: query.sectionKey)
    var titles: [String] = []
    var seen: Set<String> = []
    while let section = try sections.next() {
      guard let title = section.info.indexTitle, seen.insert(title).inserted else { continue }
      titles.append(title)
    }
    return titles
  }
}

extension ToolError {
  /// A SELECT that calls `random()` may return other rows each time.
  fileprivate static let otherRows = ToolError(
    """
    the rows were counted first, and then other rows were read: the SQL returns others each time. Use \
    csv, tsv or ndjson without totals, which count nothing
    """, .badData)
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
