#if canImport(SwiftUI)
  import FetchedResults
  import SwiftUI

  struct SongScreen: View {
    @Fetched(Song.all.sorted(by: \.name), sectionedBy: \.genre) var songs
    @State private var text = ""

    var body: some View {
      List {
        if let error = songs.error { Text("\(error)") }
        ForEach(songs.sections) { section in
          Section("\(section.name ?? "") (\(section.count))") {
            ForEach(section) { row in
              if let song = row.object { Text(song.name) }
            }
          }
        }
      }
      .searchable(text: $text)
      .onChange(of: text) {
        songs.request = Song.all.where { $0.name.contains(text) }.sorted(by: \.name)
      }
    }
  }

  struct Library: View {
    let database: Database

    var body: some View { SongScreen().database(database) }
  }

  struct LongList: View {
    @State private var songs: FetchedList<Song>

    init(_ database: Database, genre: String) {
      let request = Song.all.where { $0.genre == genre }.sorted(by: \.name)
      _songs = State(wrappedValue: FetchedList(database: database, request: request))
    }

    var body: some View {
      List(songs.rows) { row in Text(row.object?.name ?? "") }
        .task { await songs.observe() }
        .animation(.default, value: songs.version)
    }
  }
#endif
