import RowQueries
import SQLiteStorage

@testable import sections

/// A result to write: its sections, one that is unsectioned unless `isSectioned`.
struct SampleResult {
  var columns: [String]
  var isSectioned = false
  var indexTitles: [String]?
  var sections: [(header: SectionHeader, rows: [[Value]])]

  static func unsectioned(_ columns: [String], _ rows: [[Value]]) -> SampleResult {
    SampleResult(columns: columns, sections: [(.unsectioned(count: rows.count), rows)])
  }

  /// Sections whose titles are those that the library makes of their keys.
  static func sectioned(
    _ columns: [String], index: [String]? = nil, _ sections: [(Value, [[Value]])]
  ) -> SampleResult {
    SampleResult(
      columns: columns, isSectioned: true, indexTitles: index,
      sections: sections.map { key, rows in
        var title = ""
        if case .text(let text) = key { title = text }
        if case .integer(let integer) = key { title = String(integer) }
        let header = SectionHeader(
          section: key, title: title, indexTitle: String(title.prefix(1)).uppercased(),
          count: rows.count)
        return (header, rows)
      })
  }
}

/// What `format` writes for `result`.
func render(
  _ result: SampleResult, as format: OutputFormat, width: Int? = nil, usesColor: Bool = false
) throws -> String {
  let output = OutputBuffer()
  let options = TerminalOptions(width: width, usesColor: usesColor)
  switch format.makeWriter(to: output, options: options) {
  case .machine(let writer): try write(result, to: writer) { $0 }
  case .human(let writer): try write(result, to: writer) { $0.map { DisplayCell($0) } }
  }
  return output.contents
}

private func write<Cell>(
  _ result: SampleResult, to writer: any ResultWriter<Cell>, cells: ([Value]) -> [Cell]
) throws {
  try writer.begin(
    columns: result.columns, isSectioned: result.isSectioned, indexTitles: result.indexTitles,
    hasTotals: false)
  for (header, rows) in result.sections {
    try writer.beginSection(header)
    for row in rows { try writer.row(cells(row)) }
    try writer.endSection()
  }
  try writer.end()
}
