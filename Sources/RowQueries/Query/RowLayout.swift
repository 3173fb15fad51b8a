package import FetchedResults
package import SQLiteStorage
package import TableData

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The values of a row that are printed, and the one that is the value of its section.
///
/// The index of a result compares numbers as SQLite does, and stores the integer 1 for 1.0. So a
/// section is printed with the value that its first row has.
package enum RowLayout: Equatable, Sendable {
  /// The result has no sections.
  case undivided
  /// The sections are made of a column that is printed.
  case column(String)
  /// The sections are made of one more column after the printed ones.
  case extraColumn

  /// The values to print, one for each column.
  package func values(of row: Row) -> [Value] {
    self == .extraColumn ? row.values.dropLast() : row.values
  }

  /// The names of the columns to print.
  package func columnNames(of row: Row) -> [String] {
    let names = row.columnNames.names
    return self == .extraColumn ? names.dropLast() : names
  }

  /// The header of a section.
  ///
  /// - Parameters:
  ///   - key: the section's value in the index; nil for a result without sections.
  ///   - firstRow: reads the first row of the section, which is needed for a number only.
  package func header(
    of section: SectionInfo, key: Value?, firstRow: () throws -> Row
  ) rethrows -> SectionHeader {
    var value = key ?? .null
    if case .integer = value, case .real(let real) = sectionValue(in: try firstRow()) {
      value = .real(real)
    }
    var title = section.name
    if case .real(let real) = value { title = real.displayText }
    return SectionHeader(
      section: value, title: title, indexTitle: section.indexTitle, count: section.numberOfRows)
  }

  private func sectionValue(in row: Row) -> Value? {
    switch self {
    case .undivided: nil
    case .column(let name): row[name]
    case .extraColumn: row.values.last
    }
  }
}

extension RowLayout {
  /// The header of a section of a version. The section must be in range.
  package func header(of section: Int, in reader: SnapshotReader<Row>) throws -> SectionHeader {
    try header(of: reader.section(at: section), key: reader.sectionKey(at: section)) {
      try reader.record(at: [section, 0])
    }
  }
}

extension Double {
  /// The shortest decimal that is read as the same number, or `Inf` or `-Inf`.
  package var displayText: String { isInfinite ? (self < 0 ? "-Inf" : "Inf") : description }
}
