import FetchedResults
import SQLiteStorage
import TableData

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Prints a result in one format, row by row.
struct ResultPrinter {
  let writer: FormatWriter
  let showsIndex: Bool
  let isQuiet: Bool

  /// Fetches and prints.
  func print(_ query: RowQuery, from database: Database) throws {
    switch writer {
    case .machine(let writer):
      try print(query, query.request, from: database, to: writer) { $0.values }
    case .human(let writer):
      // Only the size of a blob is shown, so only that is read.
      let request = query.request.columns(
        query.columns.flatMap { [.withoutBlob($0), .blobSize($0)] })
      try print(query, request, from: database, to: writer) { row in
        stride(from: 0, to: row.values.count, by: 2).map { column in
          guard case .integer(let size) = row.values[column + 1] else {
            return .value(row.values[column])
          }
          return .blob(byteCount: Int(size))
        }
      }
    }
  }

  private func print<Cell>(
    _ query: RowQuery, _ request: FetchRequest<Row>, from database: Database,
    to writer: any ResultWriter<Cell>, cells: (Row) -> [Cell]
  ) throws {
    let provider = try FetchedResultsProvider(
      database: database, request: request, sectionedBy: query.sectionKey)
    try ProgressIndicator.show("Reading …", isQuiet: isQuiet) { try provider.performFetch() }
    try writer.begin(
      columns: query.columns, isSectioned: query.sectionKey != nil,
      indexTitles: showsIndex ? provider.sectionIndexTitles() : nil)
    for (number, section) in provider.sections.enumerated() {
      try writer.beginSection(
        SectionHeader(
          section: try provider.sectionKey(at: number) ?? .null, title: section.name,
          indexTitle: section.indexTitle, count: section.numberOfRows))
      for row in 0..<section.numberOfRows {
        try Interruption.check()
        try writer.row(cells(try provider.object(at: IndexPath(row: row, section: number))))
      }
      try writer.endSection()
    }
    try writer.end()
  }
}

extension SelectedColumn {
  /// A column's value, but NULL for a blob. SQLite finds the type without reading the value.
  fileprivate static func withoutBlob(_ name: String) -> SelectedColumn {
    let column = name.quotedIdentifier
    return SelectedColumn(
      name: name, sql: "CASE typeof(\(column)) WHEN 'blob' THEN NULL ELSE \(column) END")
  }

  /// The size of a blob, NULL for any other value.
  fileprivate static func blobSize(_ name: String) -> SelectedColumn {
    let column = name.quotedIdentifier
    return SelectedColumn(
      name: name, sql: "CASE typeof(\(column)) WHEN 'blob' THEN length(\(column)) END")
  }
}
