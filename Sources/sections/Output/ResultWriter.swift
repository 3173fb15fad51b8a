import SQLiteStorage

/// Writes a result in one format, row by row.
///
/// The calls come in this order: `begin`, then for each section `beginSection`, its rows and
/// `endSection`, then `end`. A result without sections has exactly one section, by
/// `SectionHeader.unsectioned(count:)`, even if it has no rows; a result with sections may have
/// none.
///
/// Memory does not grow with the number of rows.
protocol ResultWriter<Cell>: AnyObject {
  /// `Value` in formats for programs, `DisplayCell` in formats for people.
  associatedtype Cell

  /// Starts the result.
  ///
  /// `indexTitles` is nil without `--index`; formats for programs have the index title in each
  /// section.
  func begin(columns: [String], isSectioned: Bool, indexTitles: [String]?) throws(OutputError)
  func beginSection(_ header: SectionHeader) throws(OutputError)
  /// Adds a row with a cell for each column.
  func row(_ cells: [Cell]) throws(OutputError)
  func endSection() throws(OutputError)
  /// Finishes the result and flushes the output.
  func end() throws(OutputError)
}

extension ResultWriter {
  func begin(columns: [String], isSectioned: Bool) throws(OutputError) {
    try begin(columns: columns, isSectioned: isSectioned, indexTitles: nil)
  }
}

/// A writer, by the cells that it needs.
enum FormatWriter {
  /// Needs every value in full.
  case machine(any ResultWriter<Value>)
  /// Needs only the size of a blob.
  case human(any ResultWriter<DisplayCell>)
}
