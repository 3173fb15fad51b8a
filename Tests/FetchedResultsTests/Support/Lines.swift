import Foundation
import Testing
import TableData

@testable import FetchedResults

extension FetchedResultsProvider {
  /// Fetches, and shows the result as ``lines()`` does.
  func fetchedLines() throws -> [String] {
    try performFetch()
    return try lines()
  }

  /// A line for each section: its key, then the identities of its rows. The section of a result
  /// that is not divided is called "all".
  func lines() throws -> [String] {
    try sections.indices.map { section in
      let key = try sectionKey(at: section).map(\.shortDescription) ?? "all"
      let identities = try (0..<sections[section].numberOfRows).map {
        "\(try identity(at: [section, $0]))"
      }
      return ([key + ":"] + identities).joined(separator: " ")
    }
  }

  /// Expects that everything the provider says of its content fits together (rules 2 to 4).
  func expectConsistent(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let objects = try #require(fetchedObjects, sourceLocation: sourceLocation)
    let rowCount = sections.reduce(0) { $0 + $1.numberOfRows }
    #expect(objects.count == rowCount, sourceLocation: sourceLocation)
    #expect(numberOfSections == sections.count, sourceLocation: sourceLocation)
    if sections.count > 1 {
      #expect(sections.allSatisfy { $0.numberOfRows > 0 }, sourceLocation: sourceLocation)
    }
    var seen: Set<RowIdentity> = []
    for section in sections.indices {
      #expect(
        try numberOfRows(inSection: section) == sections[section].numberOfRows,
        sourceLocation: sourceLocation)
      for row in 0..<sections[section].numberOfRows {
        let identity = try identity(at: [section, row])
        #expect(seen.insert(identity).inserted, sourceLocation: sourceLocation)
        #expect(
          try indexPath(forIdentity: identity) == [section, row], sourceLocation: sourceLocation)
      }
    }
  }
}
