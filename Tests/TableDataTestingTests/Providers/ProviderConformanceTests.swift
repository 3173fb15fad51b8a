import Foundation
import TableData
import TableDataTesting
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

  @Test func aSectionThatIsNotCountedIsFound() {
    provider.countAnswer = { $0.content.count - 1 }
    expectViolation(.counts, "there are 3 `sections`, but `numberOfSections` is 2")
  }

  @Test func aRowThatIsNotCountedIsFound() {
    provider.rowsAnswer = { try $0.rows(inSection: $1) - ($1 == 0 ? 1 : 0) }
    expectViolation(
      .counts,
      "section 0 says that it has 3 rows, but `numberOfRows(inSection:)` is 2")
  }

  @Test func aHeaderOfAnotherNameIsFound() {
    provider.titleAnswer = { try $0.name(ofSection: $1).map { "\($0)s" } }
    expectViolation(.sectionTitle, "section 0 has the name \"Apple\", but the title \"Apples\"")
  }

  @Test func aSectionOutOfRangeThatIsAnsweredByTheLastOneIsFound() {
    provider.rowsAnswer = { try $0.rows(inSection: min(max($1, 0), $0.content.count - 1)) }
    expectViolation(
      .missingError,
      "`numberOfRows(inSection: -1)` must throw a TableDataError of code .sectionOutOfRange, and "
        + "gives: 3")
  }

  @Test func aTitleOutOfRangeThatIsAnsweredIsFound() {
    provider.titleAnswer = { provider, section in
      provider.content.indices.contains(section) ? try provider.name(ofSection: section) : nil
    }
    expectViolation(
      .missingError,
      "`title(forSection: -1)` must throw a TableDataError of code .sectionOutOfRange, and gives: "
        + "nil")
  }

  @Test func aRowOutOfRangeThatIsAnsweredByItsNeighbourIsFound() {
    provider.rowAnswer = { provider, path in
      do {
        return try provider.row(at: path)
      } catch let error as TableDataError where error.code == .rowOutOfRange && path.row > 0 {
        return try provider.row(at: [0, 0])
      }
    }
    expectViolation(
      .missingError,
      "`itemForRow(at: [0,3])` must throw a TableDataError of code .rowOutOfRange, and "
        + "gives: \(provider.content[0].items[0])")
  }

  @Test func anErrorThatDoesNotSayWhatIsMissingIsFound() {
    struct Failure: Error {}
    provider.rowAnswer = { provider, path in
      do { return try provider.row(at: path) } catch { throw Failure() }
    }
    expectViolation(
      .missingError,
      "`itemForRow(at: [-1,0])` must throw a TableDataError of code .sectionOutOfRange, "
        + "and throws: Failure()")
  }

  @Test func aMalformedPathThatIsAnsweredIsFound() {
    provider.rowAnswer = { try $0.row(at: $1.count > 2 ? $1.prefix(2) : $1) }
    expectViolation(
      .missingError,
      "`itemForRow(at: [0,0,0])` must throw a TableDataError of code .malformedIndexPath, "
        + "and gives: \(provider.content[0].items[0])")
  }

  @Test func aRowThatIsAnotherOneWhenAskedAgainIsFound() {
    var questions = 0
    provider.rowAnswer = { provider, path in
      questions += 1
      var row = try provider.row(at: path)
      row = ListProvider.Row(id: row.id + 100 * questions, section: "", rank: 0, content: 0)
      return row
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

  @Test func repeatedIndexTitlesAreFound() {
    provider.indexAnswer = { $0.content.compactMap(\.indexTitle) }
    expectViolation(
      .indexTitle,
      "the sections have the index titles [\"A\", \"B\"], but the index has [\"A\", \"A\", \"B\"]")
  }

  @Test func anIndexTitleThatLeadsToItsOwnPositionIsFound() {
    // As if every section had a title of its own.
    provider.indexSectionAnswer = { provider, title, position in
      _ = try provider.index.section(forTitle: title, at: position)
      return position
    }
    expectViolation(
      .indexTitle,
      "the index title \"B\" leads to section 1, but the first section that has it is 2")
  }

  @Test func anUnknownIndexTitleThatIsAnsweredIsFound() {
    provider.indexSectionAnswer = { provider, title, position in
      (try? provider.index.section(forTitle: title, at: position)) ?? 0
    }
    expectViolation(
      .missingError,
      "`section(forSectionIndexTitle: \"…\", at: 0)` must throw a TableDataError of code "
        + ".unknownIndexTitle, and gives: 0")
  }

  @Test func anErrorOfReadingARowIsThrown() {
    struct Failure: Error {}
    provider.rowAnswer = { provider, path in
      guard path == [2, 0] else { return try provider.row(at: path) }
      throw Failure()
    }
    #expect(throws: Failure.self) { try provider.checkConformance() }
  }
}
