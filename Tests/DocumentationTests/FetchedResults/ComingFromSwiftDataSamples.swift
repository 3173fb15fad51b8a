import FetchedResults
import Testing

@MainActor final class LibraryModel {
  let tracks: FetchedList<Track>
  private let database: Database

  init(_ database: Database) {
    self.database = database
    tracks = FetchedList(
      database: database, request: Track.all.sorted(by: \.name), sectionedBy: \.genre)
  }

  func search(for genre: String) async {
    await tracks.setRequest(Track.all.where { $0.genre == genre }.sorted(by: \.name))
  }

  func add(_ track: Track) async throws {
    try await database.write { try $0.insert(track) }
  }

  func delete(_ row: FetchedRow<Track>) async throws {
    let id = row.id
    try await database.write { try $0.delete(Track.self, id) }
  }
}

@MainActor struct ComingFromSwiftDataSamples {
  @Test func aModelSearchesAddsAndDeletes() async throws {
    let model = LibraryModel(try .library())
    try model.tracks.fetch()
    #expect(model.tracks.sections.map(\.name) == ["Blues", "Jazz", "Rock"])
    await model.search(for: "Jazz")
    #expect(model.tracks.rows.compactMap(\.object?.name) == ["Ahead", "Blue"])
    try await model.add(Track(id: 6, name: "Creole", genre: "Jazz", milliseconds: 1))
    try await model.delete(model.tracks.rows[0])
    try model.tracks.fetch()
    #expect(model.tracks.rows.compactMap(\.object?.name) == ["Blue", "Creole"])
  }
}
