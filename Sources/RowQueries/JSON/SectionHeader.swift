package import FetchedResults
package import SQLiteStorage
internal import SectionedData

/// The properties of a section that are written before its rows.
package struct SectionHeader {
  /// The section's key; null if the result has no sections.
  package var section: Value
  /// The section's title; nil if the result has no sections.
  package var title: String?
  /// The title's entry in the index; nil if the result has no sections.
  package var indexTitle: String?
  /// The number of rows that follow.
  package var count: Int
  /// The totals of the section; empty if there are none.
  package var totals: [PrintedTotal] = []

  package init(section: Value, title: String?, indexTitle: String?, count: Int) {
    self.section = section
    self.title = title
    self.indexTitle = indexTitle
    self.count = count
  }

  /// The one section of a result without sections.
  package static func unsectioned(count: Int) -> SectionHeader {
    SectionHeader(section: .null, title: nil, indexTitle: nil, count: count)
  }
}

extension SectionHeader {
  /// The header of a section that was fetched.
  ///
  /// - Parameter key: the section's value; nil for a result without sections.
  package init(of section: SectionInfo, key: Value?) {
    self.init(
      section: key ?? .null, title: section.name, indexTitle: section.indexTitle,
      count: section.numberOfRows)
  }

  /// The header of a section whose rows are read next.
  ///
  /// - Parameters:
  ///   - key: the section's value; nil for a result without sections.
  ///   - count: the number of rows; 0 if the format does not show it.
  package init(key: Value?, title: String?, count: Int) {
    self.init(of: SectionInfo(name: title, numberOfRows: count), key: key)
  }

  /// The header of a section of a version. The section must be in range.
  package init(of section: Int, in snapshot: FetchedSnapshot<Row>) {
    self.init(of: snapshot.section(at: section), key: snapshot.sectionKey(at: section))
  }
}

extension OutputBuffer {
  /// Appends the members of a section's object that come before its rows, without braces.
  ///
  /// - Parameters:
  ///   - hasTotals: whether the result has totals.
  ///   - value: appends the key of the section, and each total.
  package func append(
    membersOf header: SectionHeader, hasTotals: Bool,
    value: (Value) throws(OutputError) -> Void
  ) throws(OutputError) {
    member("section")
    try value(header.section)
    member("title", header.title)
    member("indexTitle", header.indexTitle)
    member("count", header.count)
    if hasTotals {
      member("totals")
      try append(totals: header.totals, value: value)
    }
  }
}

/// A total, with its name as the caller wrote it.
package struct PrintedTotal: Equatable {
  package let name: String
  package let value: Value

  package init(name: String, value: Value) {
    self.name = name
    self.value = value
  }
}
