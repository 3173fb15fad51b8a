#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
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
