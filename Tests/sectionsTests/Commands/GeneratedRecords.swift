// Written by `sections generate`. Write it again when the schema has changed.
import FetchedResults
import Foundation
import SQLiteStorage

struct AlbumTrack: FetchableRecord, Identifiable {
  var id: Int64?
  var releaseYear: Int
  var trackName: String?
  var `default`: Double
  var isLive: Bool
  var madeOn: Date?
  var price: Decimal?
  var cover: [UInt8]?
  var anyThing: Value?
  var column2nd: String?
  var length: Int?

  static let recordDescription = RecordDescription(
    table: "album_track", key: \.id, making: AlbumTrack.init,
    Column("ID", \.id),
    Column("release_year", \.releaseYear),
    Column("TrackName", \.trackName),
    Column("default", \.`default`),
    Column("is_live", \.isLive),
    Column("made_on", \.madeOn),
    Column("price", \.price),
    Column("cover", \.cover),
    Column("any\"thing", \.anyThing),
    Column("2nd", \.column2nd),
    Column("length", \.length))
}

struct Bare: FetchableRecord {
  var rowid: Int64?
  var x: Value?

  static let recordDescription = RecordDescription(
    table: "bare", key: \.rowid, making: Bare.init,
    Column("rowid", \.rowid),
    Column("x", \.x))
}

struct Part: FetchableRecord {
  var album: Int
  var number: Int

  static let recordDescription = RecordDescription(
    table: "part", key: \.number, \.album, making: Part.init,
    Column("album", \.album),
    Column("number", \.number))
}

struct Titles: FetchableRecord {
  var trackName: String?

  static let recordDescription = RecordDescription(
    table: "titles", making: Titles.init,
    Column("TrackName", \.trackName))
}
