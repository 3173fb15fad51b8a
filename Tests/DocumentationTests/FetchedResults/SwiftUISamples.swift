import FetchedResults
import Testing

struct SwiftUISamples {
  @Test func jazzIsASection() throws {
    let songs = FetchedList(
      database: try .sample(), request: Song.all.sorted(by: \.name), sectionedBy: \.genre
    )
    try songs.fetch()
    #expect(songs.sections.map(\.name) == ["", "Jazz"])
    #expect(songs.sections[1].compactMap(\.object?.name) == ["Ahead", "Blue"])
  }
}
