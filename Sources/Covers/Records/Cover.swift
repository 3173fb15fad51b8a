package import FetchedResults

/// A record cover of the collection: an album and its artist.
///
/// ```swift
/// let request = Cover.all.filter("release_year < ?", 1980)
/// ```
///
/// It is a row of the view `cover_list`, which joins the cover and the artist's name. Covers are
/// written by the ``DataController``.
///
/// Sendable: a plain value.
package struct Cover: FetchableRecord, Identifiable, Hashable {
  /// The primary key.
  package let id: Int64
  /// The artist's name.
  package let artist: String
  /// The album's title.
  package let label: String
  /// The year of the release; nil if it is unknown.
  package let releaseYear: Int?
  /// The address of the image for a list; empty for none.
  package let smallImageURL: String
  /// The address of the image for the page of the cover; empty for none.
  package let largeImageURL: String

  /// The view, the key and the columns of covers.
  package static let recordDescription = RecordDescription(
    table: "cover_list", key: \.id, making: Cover.init,
    Column("id", \.id), Column("artist", \.artist), Column("label", \.label),
    Column("release_year", \.releaseYear), Column("small_image_url", \.smallImageURL),
    Column("large_image_url", \.largeImageURL))
}

/// The place of a cover among the covers of its artist, in the table behind the view.
struct CoverPlace: FetchableRecord {
  let id: Int64
  let artistID: Int64
  let position: Position

  static let recordDescription = RecordDescription(
    table: "cover", key: \.id, making: CoverPlace.init,
    Column("id", \.id), Column("artist_id", \.artistID), Column("position", \.position))
}
