import CSQLite
import FetchedResults
import Foundation
import SQLiteStorage

/// A track as its list shows it, with columns of its album.
struct AlbumTrack: FetchableRecord, Equatable {
  let id: Int64
  let genre: String
  let album: String
  let name: String
  let artist: String
  let albumID: Int64

  static let recordDescription = RecordDescription(
    select: """
      SELECT track.id AS id, album.genre AS genre, album.title AS title, track.name AS name,
        album.artist AS artist, album.id AS albumID
      FROM track JOIN album ON album.id = track.album
      """,
    key: \.id, making: AlbumTrack.init,
    Column("id", \.id), Column("genre", \.genre), Column("title", \.album), Column("name", \.name),
    Column("artist", \.artist), Column("albumID", \.albumID))
}

/// A file with albums and ten tracks in each: a list of tracks by album, in sections of 1,000.
struct JoinStore {
  static let query = ListMirror<AlbumTrack>.Query(
    all: "\(select) ORDER BY \(order)",
    section: "\(select) WHERE album.genre = ? ORDER BY \(order)",
    record: { row in
      AlbumTrack(
        id: sqlite3_column_int64(row, 0), genre: text(row, 1), album: text(row, 2),
        name: text(row, 3), artist: text(row, 4), albumID: sqlite3_column_int64(row, 5))
    })

  private static let select = """
    SELECT track.id, album.genre, album.title, track.name, album.artist, album.id
    FROM album JOIN track ON album.id = track.album
    """
  private static let order = "album.genre, album.title, track.name, track.id"

  let path: String
  let albumCount: Int
  var trackCount: Int { albumCount * 10 }

  /// Makes the store.
  init(trackCount: Int, in folder: String) throws {
    path = folder + "/join-\(trackCount).sqlite"
    albumCount = trackCount / 10
    try? FileManager.default.removeItem(atPath: path)
    try make()
  }

  /// The provider of the list.
  func makeProvider() throws -> FetchedResultsProvider<AlbumTrack> {
    try FetchedResultsProvider(
      database: try Database(path: path, access: .readWrite, configuration: ItemStore.writing),
      request: AlbumTrack.all.sorted(by: \.album).sorted(by: \.name), sectionedBy: \.genre)
  }

  static func title(_ number: Int) -> String { String(format: "Album %07d", number) }

  private func make() throws {
    let database = try RawDatabase(path: path, readOnly: false)
    try database.execute(
      """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = OFF;
      CREATE TABLE album(
        id INTEGER PRIMARY KEY, genre TEXT NOT NULL, title TEXT NOT NULL, artist TEXT NOT NULL);
      CREATE TABLE track(
        id INTEGER PRIMARY KEY, album INTEGER NOT NULL REFERENCES album, name TEXT NOT NULL);
      BEGIN;
      """)
    let album = try database.prepare("INSERT INTO album VALUES (?, ?, ?, ?)")
    for id in 1...albumCount {
      // A large prime: each number once, in an order that looks random.
      let place = id * 982_451_653 % albumCount
      try album.run(
        .integer(Int64(id)), .text(String(format: "Genre %05d", place % max(1, albumCount / 100))),
        .text(Self.title(place)), .text("Artist \(place % 977)"))
    }
    let track = try database.prepare("INSERT INTO track VALUES (?, ?, ?)")
    for id in 1...trackCount {
      let place = id * 982_451_653 % trackCount
      try track.run(
        .integer(Int64(id)), .integer(Int64(place / 10 + 1)), .text(ItemStore.name(place)))
    }
    try database.execute(
      """
      COMMIT;
      CREATE INDEX album_list ON album(genre, title);
      CREATE INDEX track_album ON track(album, name);
      PRAGMA wal_checkpoint(TRUNCATE);
      """)
  }
}

private func text(_ row: OpaquePointer, _ column: Int32) -> String {
  String(cString: sqlite3_column_text(row, column))
}
