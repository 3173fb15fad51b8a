import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

/// The totals of all sections and of the list.
struct AllTotals {
  var sections: [[Value]] = []
  /// The names of the sections: a header shows both.
  var names: [String?] = []
  var whole: [Value] = []

  /// Whether both are the same, but for the last digits of a REAL, as a sum of REALs depends on their
  /// order, and for the spelling of an extreme: of equal values, any is the smallest.
  func isSame(as other: AllTotals) -> Bool {
    sections.count == other.sections.count
      && zip(sections, other.sections).allSatisfy { $0.isSame(as: $1) }
      && whole.isSame(as: other.whole)
  }

  /// Expects that exactly the sections that stay and have other totals or another name are told, and
  /// the totals of the list if they are others.
  func expectEvents(
    _ changes: TableChanges, to new: AllTotals, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    guard changes.reset == nil else { return }
    let stay = (
      sections.indices.filter { !changes.deletedSections.contains($0) },
      new.sections.indices.filter { !changes.insertedSections.contains($0) }
    )
    let updated = zip(stay.0, stay.1)
      .filter { sections[$0] != new.sections[$1] || names[$0] != new.names[$1] }
      .map { TableChanges.SectionUpdate(old: $0, new: $1) }
    try #require(changes.updatedSections == updated, sourceLocation: sourceLocation)
    try #require(changes.updatesTotals == (whole != new.whole), sourceLocation: sourceLocation)
  }
}

extension FetchedResultsProvider {
  func allTotals() throws -> AllTotals {
    AllTotals(
      sections: try (0..<numberOfSections).map { try totals(at: $0).values },
      names: sections.map(\.name),
      whole: totals?.values ?? [])
  }
}

extension [Value] {
  func isSame(as other: [Value]) -> Bool {
    count == other.count && zip(self, other).allSatisfy { $0.isSame(as: $1) }
  }
}

extension Value {
  fileprivate func isSame(as other: Value) -> Bool {
    switch (self, other) {
    case (.text, .text): folded == other.folded
    case (.null, _), (_, .null), (.text, _), (_, .text), (.blob, _), (_, .blob): self == other
    default:
      // Infinity minus itself is no number.
      self == other
        || abs(number - other.number) <= 1e-9 * Swift.max(abs(number), abs(other.number), 1)
    }
  }

  private var number: Double {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    case .null, .text, .blob: 0
    }
  }
}
