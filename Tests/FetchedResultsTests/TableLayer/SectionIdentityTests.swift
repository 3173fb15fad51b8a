import Foundation
import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

/// A section has the same identity, wherever it is: in an array or in a store.
struct SectionIdentityTests {
  private struct Song: ItemViewModel, Equatable {
    let id: Int64
  }

  /// A list of songs in sections by their `genre`, of which there are several values.
  private func stored(
    _ genres: String, column: String = "genre"
  ) throws -> FetchedResultsProvider<Row> {
    let database = try Database.store(
      "CREATE TABLE song(id INTEGER PRIMARY KEY, \(column)); INSERT INTO song(genre) VALUES \(genres)"
    )
    let provider = try FetchedResultsProvider(
      database: database, request: FetchRequest(table: "song"),
      sectionedBy: .property(\Row["genre"]))
    try provider.performFetch()
    return provider
  }

  private func identities(_ provider: some ViewModelDataProvider) throws -> [AnyHashable?] {
    try provider.sections.indices.map(provider.identityForSection)
  }

  private func inMemory(_ names: [String]) throws -> SectionDataProvider<Song> {
    try SectionDataProvider(
      sections: names.enumerated().map { Section(name: $1, items: [Song(id: Int64($0))]) })
  }

  @Test func aSwappedStoreKeepsWhatIsFolded() throws {
    let names = ["Blues", "Jazz", "Rock"]
    let array = try inMemory(names)
    let folded = try FoldedDataProvider(array)
    try folded.setFolded(true, section: 1)
    // It is not there when the store is swapped.
    try folded.setFolded(true, section: 2)
    try array.removeSection(at: 2)
    let fetched = try FoldedDataProvider(
      stored("('Jazz'), ('Blues'), ('Jazz')"), replacing: folded)
    #expect(fetched.sections.map(\.name) == ["Blues", "Jazz"])
    #expect(fetched.sections.map(\.numberOfRows) == [1, 0])
    try fetched.base.database.run("INSERT INTO song(genre) VALUES ('Rock'), ('Ambient')")
    try fetched.base.refresh()
    #expect(fetched.sections.map(\.numberOfRows) == [1, 1, 0, 0])
    try fetched.checkInvariants()
    // And back.
    let again = try FoldedDataProvider(inMemory(names), replacing: fetched)
    #expect(again.sections.map(\.numberOfRows) == [1, 0, 0])
  }

  @Test func sectionsThatTheUserHasUnfoldedStaySo() throws {
    let folded = try FoldedDataProvider(try inMemory(["Blues", "Jazz"]), isFolded: true)
    try folded.setFolded(false, section: 0)
    let fetched = try FoldedDataProvider(
      stored("('Jazz'), ('Blues'), ('Rock')"), replacing: folded)
    #expect(fetched.sections.map(\.numberOfRows) == [1, 0, 0])
  }

  @Test func theIdentityIsTheKey() throws {
    #expect(
      try identities(stored("('b'), ('a')")) == identities(inMemory(["a", "b"])))
    #expect(try identities(stored("(1997)")) == [SectionID(1997)])
    #expect(try identities(stored("(1.0)")) == [SectionID(1)])
    let year = Section(id: 1997, name: "The year 1997", items: [Song(id: 1)])
    #expect(
      try identities(stored("(1997)")) == identities(SectionDataProvider(sections: [year])))
    #expect(
      try identities(stored("('Rock'), ('ROCK'), ('a ')", column: "genre COLLATE NOCASE"))
        == [SectionID("a "), SectionID("rock")])
    #expect(
      try identities(stored("('Rock  ')", column: "genre COLLATE RTRIM")) == [SectionID("Rock")])
  }

  /// Swift's strings are equal if they are canonically equivalent. Their bytes are not.
  @Test func keysThatSQLiteDistinguishesHaveSeveralIdentities() throws {
    let provider = try stored(
      "(NULL), (''), (' '), (1), ('1'), (x'31'), (1.5), ('\u{e9}'), ('e\u{301}')")
    let identities = try identities(provider)
    #expect(identities.count == 9)
    #expect(Set(identities).count == 9)
    #expect(identities[0] == AnyHashable(SectionID.null))
  }

  @Test func aListWithoutSectionsIsAsAnArrayWithoutATitle() throws {
    let provider = try FetchedResultsProvider(
      database: try Database.store("CREATE TABLE song(id INTEGER PRIMARY KEY)"),
      request: FetchRequest<Row>(table: "song"))
    try provider.performFetch()
    let array = try ArrayDataProvider(items: [Song(id: 1)])
    #expect(try identities(provider) == identities(array))
    try array.setTitle("Songs")
    #expect(try identities(provider) == identities(array))
  }
}
