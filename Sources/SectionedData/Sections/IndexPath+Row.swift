// Only this declaration: each file of the module has it, and so does a file that imports the module.
#if canImport(FoundationEssentials)
  @_exported public import struct FoundationEssentials.IndexPath
#else
  @_exported public import struct Foundation.IndexPath
#endif

// UIKit declares all three of these, and AppKit declares `section`. On these platforms the ones here are only for
// this package, whose other files import neither; users of the package would see two.
#if canImport(UIKit)
  extension IndexPath {
    package init(row: Int, section: Int) { self = IndexPath(index: section).appending(row) }

    package var row: Int { self[1] }
  }
#else
  extension IndexPath {
    /// The index path of a row: `[section, row]`, both counted from 0.
    public init(row: Int, section: Int) { self = IndexPath(index: section).appending(row) }

    /// The number of the row in its section. The path must have two elements.
    public var row: Int { self[1] }
  }
#endif

#if canImport(UIKit) || canImport(AppKit)
  extension IndexPath {
    package var section: Int { self[0] }
  }
#else
  extension IndexPath {
    /// The number of the section. The path must not be empty.
    public var section: Int { self[0] }
  }
#endif

extension IndexPath {
  /// The index paths of the rows of a section; none for a count below 0, which only a faulty list has.
  package static func rows(
    _ count: Int, inSection section: Int
  ) -> LazyMapSequence<Range<Int>, IndexPath> {
    (0..<Swift.max(0, count)).lazy.map { IndexPath(row: $0, section: section) }
  }

  /// Whether it may be the index path of a row.
  package var isRow: Bool { count == 2 && section >= 0 && row >= 0 }

  /// The same row of a section further down. A malformed index path stays as it is.
  package func offset(by sections: Int) -> IndexPath {
    count == 2 ? IndexPath(row: row, section: section + sections) : self
  }

  /// Throws unless a list has the row.
  ///
  /// - Parameter allowsEnd: whether the end of a section is allowed too, as for an insert.
  package func requireRow(
    inSections sectionCount: Int, allowsEnd: Bool = false, rowCount: (Int) throws -> Int
  ) throws {
    guard count == 2 else { throw TableDataError.malformedIndexPath(self) }
    guard section >= 0, section < sectionCount else {
      throw TableDataError.sectionOutOfRange(self, count: sectionCount)
    }
    let rows = try rowCount(section)
    guard row >= 0, row < (allowsEnd ? rows + 1 : rows) else {
      throw TableDataError.rowOutOfRange(self, count: rows)
    }
  }
}
