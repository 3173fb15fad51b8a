import FetchedResults
import TableDataTesting
import Testing

struct StoresInMemorySamples {
  @Test func aDeletedSongLeavesItsSection() throws {
    let database = try Database.sample()
    let provider = try FetchedResultsProvider(
      database: database, request: Song.all.sorted(by: \.name), sectionedBy: \.genre)
    try provider.performFetch()
    let harness = try ProviderHarness(
      provider, id: \.id, isUnchanged: { $0.name == $1.name && $0.genre == $1.genre })
    harness.observe()

    try database.write { try $0.execute("DELETE FROM song WHERE name = 'Ahead'") }
    let changes = try provider.refresh()

    #expect(changes.deletedRows == [[1, 0]])
    #expect(provider.sections.map(\.numberOfRows) == [1, 1])
    try harness.checkObserved()
  }
}
