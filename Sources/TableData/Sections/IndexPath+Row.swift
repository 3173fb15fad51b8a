#if canImport(FoundationEssentials)
  public import FoundationEssentials
#elseif canImport(UIKit)
  package import Foundation
#else
  public import Foundation
#endif

// UIKit brings all three of these, AppKit the section. Where they do, these are for this package
// alone: its files import neither, and would not see them; its users do, and would see two.
#if canImport(UIKit)
  extension IndexPath {
    package init(row: Int, section: Int) { self = [section, row] }

    package var row: Int { self[1] }
  }
#else
  extension IndexPath {
    /// The place of a row in a list: `[section, row]`, both counted from 0.
    public init(row: Int, section: Int) { self = [section, row] }

    /// The row's number in its section. The path must have two elements.
    public var row: Int { self[1] }
  }
#endif

#if canImport(UIKit) || canImport(AppKit)
  extension IndexPath {
    package var section: Int { self[0] }
  }
#else
  extension IndexPath {
    /// The section's number. The path must not be empty.
    public var section: Int { self[0] }
  }
#endif

extension IndexPath {
  /// Requires that the path is a row of a list.
  ///
  /// - Parameters:
  ///   - sectionCount: the number of sections of the list.
  ///   - isGap: whether the end of a section is a place too: where a row can be put.
  ///   - rowCount: gives the number of rows of a section that is there.
  /// - Throws: `TableDataError` of code `.malformedIndexPath`, `.sectionOutOfRange` or
  ///   `.rowOutOfRange`; what `rowCount` throws.
  package func requirePlace(
    inSections sectionCount: Int, isGap: Bool = false, rowCount: (Int) throws -> Int
  ) throws {
    guard count == 2 else { throw TableDataError.malformedIndexPath(self) }
    guard 0..<sectionCount ~= section else {
      throw TableDataError.sectionOutOfRange(self, count: sectionCount)
    }
    let rows = try rowCount(section)
    guard 0..<(isGap ? rows + 1 : rows) ~= row else {
      throw TableDataError.rowOutOfRange(self, count: rows)
    }
  }
}
