import Foundation
import TableData
import TableDataTesting
import TestLists
import Testing

struct ProviderConformanceTests {
  let provider = ListProvider(["Apple": [1, 2, 3], "Avocado": [], "Banana": [4]])

  private func expectViolation(
    _ code: ProviderViolation.Code, _ message: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let violation = #expect(throws: ProviderViolation.self, sourceLocation: sourceLocation) {
      try provider.checkConformance()
    }
    #expect(violation?.code == code, sourceLocation: sourceLocation)
    #expect(violation?.message == message, sourceLocation: sourceLocation)
  }

  @Test func aProviderThatKeepsItsPromisesConforms() throws {
    try provider.checkConformance()
    try provider.checkConformance { $0.content + $0.id }
    try ListProvider([:]).checkConformance()
  }

  @Test func aNegativeCountIsFound() {
    provider.sectionsAnswer = { provider in
      provider.content.map { SectionInfo(name: $0.name, numberOfRows: $0.items.count - 1) }
    }
    expectViolation(.counts, "section 1 says that it has -1 rows")
  }

  /// The provider itself checks nothing.
  @Test func aRowThatDoesNotExistIsNeverAskedFor() throws {
    provider.rowAnswer = { provider, path in
      #expect(path.count == 2 && provider.content.indices.contains(path.section))
      return try #require(provider.content[path.section].items.dropFirst(path.row).first)
    }
    for (path, code) in [
      ([0, 3], .rowOutOfRange), ([1, 0], .rowOutOfRange), ([0, -1], .rowOutOfRange),
      ([3, 0], .sectionOutOfRange), ([-1, 0], .sectionOutOfRange),
      ([0, 0, 0], .malformedIndexPath),
      ([], .malformedIndexPath),
    ] as [(IndexPath, TableDataError.Code)] {
      let error = #expect(throws: TableDataError.self) { try provider.itemForRow(at: path) }
      #expect(error?.code == code)
    }
  }

  @Test func aRowThatIsAnotherOneWhenAskedAgainIsFound() {
    var questions = 0
    provider.rowAnswer = { provider, path in
      questions += 1
      let old = provider.content[path.section].items[path.row]
      return ListProvider.Row(id: old.id + 100 * questions, section: "", rank: 0, content: 0)
    }
    #expect(throws: ProviderViolation.self) { try provider.checkConformance() }
    questions = 0
    let violation = #expect(throws: ProviderViolation.self) { try provider.checkConformance() }
    #expect(violation?.code == .unstableRow)
  }

  @Test func twoRowsOfOneIdentityAreFound() {
    provider.content[2].items[0] = provider.content[0].items[1]
    expectViolation(
      .duplicateIdentity, "the rows [0,1] and [2,0] have one identity: 2")
  }

  @Test func aRowThatIsFoundElsewhereIsFound() {
    provider.placeAnswer = { provider, identity in
      identity == AnyHashable(4) ? [0, 0] : provider.place(of: identity)
    }
    expectViolation(
      .wrongIdentity, "the row [2,0] is not where its identity 4 is found")
  }

  @Test func aRowThatIsNotFoundIsFound() {
    provider.placeAnswer = { _, _ in nil }
    expectViolation(.wrongIdentity, "the row [0,0] is not where its identity 1 is found")
  }

  @Test func aPlaceForAnUnknownIdentityIsFound() {
    provider.placeAnswer = { provider, identity in provider.place(of: identity) ?? [0, 1] }
    expectViolation(
      .wrongIdentity, "the row [0,1] is found for an identity that no row has")
  }

  @Test func anErrorOfReadingARowIsThrown() {
    struct Failure: Error {}
    provider.rowAnswer = { provider, path in
      guard path == [2, 0] else { return provider.content[path.section].items[path.row] }
      throw Failure()
    }
    #expect(throws: Failure.self) { try provider.checkConformance() }
  }
}
