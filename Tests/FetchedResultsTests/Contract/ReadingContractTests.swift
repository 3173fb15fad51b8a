import Foundation
import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

/// Rules 1 to 8 of the change contract, in the words of the contract.
struct ReadingContractTests {
  private func provider(
    _ database: Database, _ request: FetchRequest<Track> = Track.all,
    by sectionKey: SectionKey<Track>? = nil
  ) throws -> FetchedResultsProvider<Track> {
    try FetchedResultsProvider(database: database, request: request, sectionedBy: sectionKey)
  }

  // MARK: 1

  @Test func beforePerformFetchThereIsNoContentAndNotAnEmptyOne() throws {
    let provider = try provider(try Track.store())
    #expect(provider.fetchedObjects == nil)
    #expect(provider.sections.isEmpty)
    #expect(provider.sectionIndexTitles().isEmpty)
    #expect(try provider.indexPath(forIdentity: 1) == nil)
    let error = #expect(throws: FetchError.self) { try provider.object(at: [0, 0]) }
    #expect(error?.code == .notFetched)
    try provider.performFetch()
    #expect(provider.fetchedObjects?.count == 5)
  }

  @Test func afterPerformFetchOfNothingThereIsAnEmptyContent() throws {
    let provider = try provider(try .store(Track.schema))
    try provider.performFetch()
    #expect(provider.fetchedObjects?.isEmpty == true)
  }

  // MARK: 2

  @Test func sectionsLaidEndToEndAreTheFetchedRowsInOrder() throws {
    let provider = try provider(
      try Track.store(), Track.all.sorted(by: \.name), by: .property(\.genre))
    #expect(try provider.fetchedLines() == ["NULL: 4", "\"Jazz\": 5 1", "\"Rock\": 2 3"])
    #expect(provider.fetchedObjects?.map(\.id) == [4, 5, 1, 2, 3])
    try provider.expectConsistent()
  }

  @Test func theSortOfTheSectionIsPutInFrontOfTheOneOfTheRequest() throws {
    let provider = try provider(
      try Track.store(), Track.all.sorted(by: \.milliseconds, .descending),
      by: .property(\.genre, .descending))
    #expect(try provider.fetchedLines() == ["\"Rock\": 2 3", "\"Jazz\": 5 1", "NULL: 4"])
  }

  @Test func aRequestThatWouldTearASectionApartThrowsAndNamesTheTwoRows() throws {
    let provider = try provider(
      try Track.store(), Track.all.sorted(by: \.milliseconds), by: .property(\.initial))
    // By milliseconds: Zoo 3, Anthem 2, Blue 1, Cello 4, Ahead 5. "A" comes twice.
    let error = #expect(throws: FetchError.self) { try provider.performFetch() }
    #expect(error?.code == .tornSection)
    #expect(error?.message.contains("\"A\"") == true)
    #expect(error?.message.contains("row 5") == true)
    #expect(error?.message.contains("row 4") == true)
    #expect(provider.fetchedObjects == nil)
  }

  // MARK: 3

  @Test func withoutASectionKeyThereIsOneSectionAlsoWhenItIsEmpty() throws {
    let provider = try provider(try .store(Track.schema))
    #expect(try provider.fetchedLines() == ["all:"])
    #expect(provider.sections == [SectionInfo(name: nil, numberOfRows: 0)])
    #expect(try provider.sectionKey(at: 0) == nil)
    try provider.expectConsistent()
  }

  @Test func withASectionKeyNoRowsMeansNoSections() throws {
    let store = try Database.store(Track.schema)
    for key in [SectionKey<Track>.property(\.genre), .property(\.initial), .expression("id % 2")] {
      let provider = try provider(store, by: key)
      #expect(try provider.fetchedLines() == [])
      #expect(provider.numberOfSections == 0)
      try provider.expectConsistent()
    }
  }

  // MARK: 4

  @Test func placesAndIdentitiesAreInverses() throws {
    let provider = try provider(
      try Track.store(), Track.all.sorted(by: \.name), by: .property(\.genre))
    try provider.performFetch()
    try provider.expectConsistent()
    for (section, info) in provider.sections.enumerated() {
      for row in 0..<info.numberOfRows {
        let object = try provider.object(at: [section, row])
        #expect(try provider.indexPath(for: object) == [section, row])
      }
    }
  }

  @Test func anUnknownIdentityHasNoPlace() throws {
    let provider = try provider(try Track.store(), Track.all.filter("id <> 3"))
    try provider.performFetch()
    #expect(try provider.indexPath(forIdentity: 3) == nil)
    #expect(try provider.indexPath(forIdentity: 99) == nil)
    #expect(try provider.indexPath(forIdentity: -1) == nil)
    #expect(try provider.indexPath(forIdentity: "1") == nil)
    #expect(try provider.indexPath(forIdentity: RowIdentity(.null)) == nil)
    #expect(try provider.indexPath(forIdentity: RowIdentity([])) == nil)
    #expect(try provider.indexPath(forIdentity: RowIdentity([1, 2])) == nil)
    #expect(try provider.indexPath(forIdentity: RowIdentity(.real(1))) == [0, 0])
    #expect(try provider.indexPath(forIdentity: RowIdentity(.real(1.5))) == nil)
  }

  // MARK: 5

  @Test func theIndexTitleIsTheCapitalisedFirstCharacterWithoutRepetition() throws {
    let store = try Database.store(
      Track.schema + """
        INSERT INTO track VALUES
          (1, 'x', 'alpha', 0), (2, 'x', 'Beta', 0), (3, 'x', 'avocado', 0), (4, 'x', 'éclair', 0),
          (5, 'x', '', 0), (6, 'x', NULL, 0), (7, 'x', 'bread', 0);
        """)
    let provider = try provider(
      store, by: .property(\.genre, .ascending, collation: .nocase))
    try provider.performFetch()
    #expect(
      provider.sections.map(\.name) == ["", "", "alpha", "avocado", "Beta", "bread", "éclair"])
    #expect(provider.sectionIndexTitles() == ["A", "B", "É"])
    #expect(try provider.section(forSectionIndexTitle: "A", at: 0) == 2)
    #expect(try provider.section(forSectionIndexTitle: "B", at: 1) == 4)
    #expect(try provider.section(forSectionIndexTitle: "É", at: 2) == 6)
    let error = #expect(throws: TableDataError.self) {
      try provider.section(forSectionIndexTitle: "Q", at: 0)
    }
    #expect(error?.code == .unknownIndexTitle)
  }

  @Test func theDelegateCanGiveOtherIndexTitles() throws {
    final class Initials: FetchedResultsProviderDelegate {
      func provider(_ provider: FetchedResultsProvider<Track>, didChange changes: TableChanges) {}

      func provider(
        _ provider: FetchedResultsProvider<Track>, sectionIndexTitleForSectionName name: String
      ) -> String? { name == "Rock" ? nil : name.isEmpty ? "#" : "J&R" }
    }
    let delegate = Initials()
    let provider = try provider(try Track.store(), by: .property(\.genre))
    provider.delegate = delegate
    try provider.performFetch()
    #expect(provider.sections.map(\.indexTitle) == ["#", "J&R", nil])
    #expect(provider.sectionIndexTitles() == ["#", "J&R"])
    #expect(try provider.section(forSectionIndexTitle: "J&R", at: 1) == 1)
    withExtendedLifetime(delegate) {}
  }

  // MARK: 6

  @Test func sectionEqualityFollowsTheCollationOfTheOrder() throws {
    let store = try Database.store(
      Track.schema + """
        INSERT INTO track VALUES
          (1, 'x', 'a', 0), (2, 'x', 'A', 0), (3, 'x', 'a  ', 0), (4, 'x', 'b', 0);
        """)
    func lines(_ collation: Collation) throws -> [String] {
      try provider(store, by: .property(\.genre, .ascending, collation: collation)).fetchedLines()
    }
    #expect(try lines(.binary) == ["\"A\": 2", "\"a\": 1", "\"a  \": 3", "\"b\": 4"])
    #expect(try lines(.nocase) == ["\"a\": 1 2", "\"a  \": 3", "\"b\": 4"])
    #expect(try lines(.rtrim) == ["\"A\": 2", "\"a\": 1 3", "\"b\": 4"])
  }

  @Test func nullTheEmptyStringAndASpaceAreThreeSections() throws {
    let store = try Database.store(
      Track.schema + """
        INSERT INTO track VALUES
          (1, 'x', '', 0), (2, 'x', NULL, 0), (3, 'x', ' ', 0), (4, 'x', '', 0), (5, 'x', NULL, 0);
        """)
    let provider = try provider(store, by: .property(\.genre))
    #expect(try provider.fetchedLines() == ["NULL: 2 5", "\"\": 1 4", "\" \": 3"])
    #expect(provider.sections.map(\.name) == ["", "", " "])
    #expect(try provider.sectionKey(at: 0) == .some(.null))
    #expect(try provider.sectionKey(at: 1) == "")
    try provider.expectConsistent()
  }

  // MARK: 7

  @Test func equalSortKeysAreOrderedByThePrimaryKey() throws {
    let store = try Database.store(
      Track.schema + """
        INSERT INTO track VALUES (9, 'x', 'b', 0), (3, 'x', 'a', 0), (7, 'x', 'b', 0),
          (1, 'x', 'b', 0);
        """)
    let request = Track.all.sorted(by: \.name, .descending)
    #expect(try provider(store, request).fetchedLines() == ["all: 1 3 7 9"])
    #expect(
      try provider(store, request, by: .property(\.genre)).fetchedLines()
        == ["\"a\": 3", "\"b\": 1 7 9"])
  }

  // MARK: 8

  @Test(
    arguments: [
      (0, 0, [String]()), (1, 0, ["NULL: 4"]), (2, 0, ["NULL: 4", "\"Jazz\": 5"]),
      (2, 1, ["\"Jazz\": 5 1"]), (2, 2, ["\"Jazz\": 1", "\"Rock\": 2"]), (9, 4, ["\"Rock\": 3"]),
      (5, 0, ["NULL: 4", "\"Jazz\": 5 1", "\"Rock\": 2 3"]), (3, 5, []), (3, 50, []),
      (Int.max, 4, ["\"Rock\": 3"]), (Int.max, Int.max, []),
    ] as [(Int, Int, [String])])
  func limitAndOffsetCutAWindowOutOfTheOrder(
    limit: Int, offset: Int, expected: [String]
  ) throws {
    let provider = try provider(
      try Track.store(), Track.all.sorted(by: \.name).limited(to: limit, offset: offset),
      by: .property(\.genre))
    #expect(try provider.fetchedLines() == expected)
    #expect(provider.fetchedObjects?.count == provider.sections.reduce(0) { $0 + $1.numberOfRows })
    try provider.expectConsistent()
  }

  @Test func anOffsetWithoutALimitLeavesOutTheFirstRows() throws {
    let request = Track.all.limited(to: nil, offset: 3)
    #expect(try provider(try Track.store(), request).fetchedLines() == ["all: 4 5"])
  }

  @Test func aRowOutsideOfTheWindowHasNoPlace() throws {
    let provider = try provider(try Track.store(), Track.all.limited(to: 2, offset: 1))
    #expect(try provider.fetchedLines() == ["all: 2 3"])
    #expect(try provider.indexPath(forIdentity: 1) == nil)
    #expect(try provider.indexPath(forIdentity: 4) == nil)
    #expect(try provider.indexPath(forIdentity: 5) == nil)
  }

  @Test func anEmptyWindowOfAListThatIsNotDividedIsOneEmptySection() throws {
    #expect(
      try provider(try Track.store(), Track.all.limited(to: 0)).fetchedLines() == ["all:"])
  }
}
