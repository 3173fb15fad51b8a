package import FetchedResults

/// A track of a cover.
///
/// Sendable: a plain value.
package struct Track: FetchableRecord, Identifiable, Hashable {
  /// The primary key. A type of its own: a cover may have the same number, in one list.
  package struct ID: RawRepresentable, ColumnValue, Hashable {
    /// The number in the database.
    package let rawValue: Int64

    /// Makes a key.
    package init(rawValue: Int64) { self.rawValue = rawValue }
  }

  /// The primary key.
  package let id: ID
  package let name: String
  /// The length in milliseconds.
  package let milliseconds: Int

  /// The table, the key and the columns of tracks.
  package static let recordDescription = RecordDescription(
    table: "track", key: \.id, making: Track.init,
    Column("id", \.id), Column("name", \.name), Column("milliseconds", \.milliseconds))
}

/// A track as a row of a list: its length as text.
///
/// ```swift
/// let rows = try tracks.map { TrackViewModel($0) }
/// ```
package struct TrackViewModel: ItemViewModel, Hashable {
  /// The track's `id`.
  package let id: Track.ID
  package let name: String
  /// The length in minutes and seconds: "3:07".
  package let length: String

  /// Makes the view model of a track.
  package init(_ track: Track) {
    (id, name) = (track.id, track.name)
    let seconds = track.milliseconds / 1_000
    length = "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
  }
}
