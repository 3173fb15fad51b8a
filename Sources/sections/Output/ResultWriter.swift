import SQLiteStorage

/// Writes a result as it comes, in one format.
///
/// The calls come in this order: `begin`, then for each section `beginSection`, its rows and
/// `endSection`, then `end`. A result without sections has exactly one section, by
/// `SectionHeader.unsectioned(count:)`, even when it has no rows; a result with sections may have
/// none.
///
/// Memory does not grow with the number of rows.
protocol ResultWriter<Cell>: AnyObject {
  /// `Value` in formats for programs, `DisplayCell` in formats for people.
  associatedtype Cell

  /// Starts the result.
  ///
  /// `indexTitles` is what `--index` asks for; formats for programs have it in each section.
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

/// A writer, told apart by what it must be given.
enum FormatWriter {
  /// Needs every value in full.
  case machine(any ResultWriter<Value>)
  /// Is content with a blob's size.
  case human(any ResultWriter<DisplayCell>)
}
