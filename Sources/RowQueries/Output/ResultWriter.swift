/// Writes a result in one format, row by row.
///
/// The calls come in this order: `begin`, then for each section `beginSection`, its rows and
/// `endSection`, then `end`. A result without sections has exactly one section, by
/// `SectionHeader.unsectioned(count:)`, even if it has no rows; a result with sections may have
/// none.
///
/// Memory does not grow with the number of rows.
package protocol ResultWriter<Cell>: AnyObject {
  /// `Value` in formats for programs; those for people have cells that are cut and styled.
  associatedtype Cell

  /// Starts the result.
  ///
  /// - Parameters:
  ///   - indexTitles: nil without `--index`; formats for programs have the index title in each
  ///     section.
  ///   - hasTotals: whether sections and the whole result have totals.
  func begin(
    columns: [String], isSectioned: Bool, indexTitles: [String]?, hasTotals: Bool
  ) throws(OutputError)
  func beginSection(_ header: SectionHeader) throws(OutputError)
  /// Adds a row with a cell for each column.
  func row(_ cells: [Cell]) throws(OutputError)
  func endSection() throws(OutputError)
  /// Finishes the result and flushes the output.
  ///
  /// - Parameter totals: those of all rows; empty if there are none.
  func end(totals: [PrintedTotal]) throws(OutputError)
}

extension ResultWriter {
  package func begin(columns: [String], isSectioned: Bool) throws(OutputError) {
    try begin(columns: columns, isSectioned: isSectioned, indexTitles: nil, hasTotals: false)
  }

  package func end() throws(OutputError) { try end(totals: []) }
}
