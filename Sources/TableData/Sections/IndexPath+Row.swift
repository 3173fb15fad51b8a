// Only this declaration: each file of the module has it, and so does a file that imports the module.
#if canImport(FoundationEssentials)
  @_exported public import struct FoundationEssentials.IndexPath
#else
  @_exported public import struct Foundation.IndexPath
#endif

// UIKit declares all three of these, and AppKit declares `section`. On these platforms the ones here are
// only for this package, whose other files import neither; users of the package would see two.
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
  /// The same row of a section further down.
  func offset(by sections: Int) -> IndexPath { IndexPath(row: row, section: section + sections) }

  /// Throws unless a list has the row.
  ///
  /// - Parameters:
  ///   - sectionCount: the number of sections of the list.
  ///   - allowsEnd: whether the end of a section is allowed too, as for an insert.
  ///   - rowCount: gives the number of rows of an existing section.
  /// - Throws: `TableDataError` of code `.malformedIndexPath`, `.sectionOutOfRange` or
  ///   `.rowOutOfRange`; any error of `rowCount`.
  package func requireRow(
    inSections sectionCount: Int, allowsEnd: Bool = false, rowCount: (Int) throws -> Int
  ) throws {
    guard count == 2 else { throw TableDataError.malformedIndexPath(self) }
    guard 0..<sectionCount ~= section else {
      throw TableDataError.sectionOutOfRange(self, count: sectionCount)
    }
    let rows = try rowCount(section)
    guard 0..<(allowsEnd ? rows + 1 : rows) ~= row else {
      throw TableDataError.rowOutOfRange(self, count: rows)
    }
  }
}
