#if canImport(SwiftUI)
  import FetchedResults
  import SwiftUI

  struct SongDetail: View {
    @FetchedRecord var song: Song?
    @FetchedValue(countOf: Song.all) var count
    @FetchedValue("SELECT max(name) FROM song", as: String.self) var last: String?

    init(_ id: Int64) { _song = FetchedRecord(Song.self, key: id) }

    var body: some View {
      if let error = $song.error { Text("\(error)") }
      if let song {
        Text(song.name)
      } else if !$song.isLoading, $song.error == nil {
        Text("deleted")
      }
      Text("\(count) songs, the last is \(last ?? "none")")
    }
  }
#endif
