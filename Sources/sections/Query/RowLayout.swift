import FetchedResults
import SQLiteStorage
import TableData

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Which values of a row are printed, and which one is the value of its section.
///
/// The index of a result compares numbers as SQLite does, and keeps the integer 1 for 1.0. A section
/// is printed as its rows are: with the value that its first row has.
enum RowLayout: Equatable {
  /// The result has no sections.
  case undivided
  /// The sections are made of a column that is printed.
  case column(String)
  /// What the sections are made of stands behind the printed columns.
  case extraColumn

  /// The values to print, one a column.
  func values(of row: Row) -> [Value] {
    self == .extraColumn ? row.values.dropLast() : row.values
  }

  /// The names of the columns to print.
  func columnNames(of row: Row) -> [String] {
    let names = row.columnNames.names
    return self == .extraColumn ? names.dropLast() : names
  }

  /// What is printed of a section before its rows.
  ///
  /// - Parameters:
  ///   - key: the section's value in the index; nil for a result without sections.
  ///   - firstRow: reads the first row of the section, which is needed for a number only.
  func header(
    of section: SectionInfo, key: Value?, firstRow: () throws -> Row
  ) rethrows -> SectionHeader {
    var value = key ?? .null
    if case .integer = value, case .real(let real) = sectionValue(in: try firstRow()) {
      value = .real(real)
    }
    var title = section.name
    if case .real = value { title = DisplayCell.value(value).content.text }
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
  /// What is printed of a section of a version, which must be in range.
  func header(of section: Int, in reader: SnapshotReader<Row>) throws -> SectionHeader {
    try header(of: reader.section(at: section), key: reader.sectionKey(at: section)) {
      try reader.record(at: [section, 0])
    }
  }
}
