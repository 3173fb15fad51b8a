public import FetchedResults

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
public struct Cover: FetchableRecord, Identifiable, Hashable {
  /// The primary key.
  public let id: Int64
  /// The artist's name.
  public let artist: String
  /// The album's title.
  public let label: String
  /// The year of the release; nil if it is unknown.
  public let releaseYear: Int?
  /// The address of the image for a list; empty for none.
  public let smallImageURL: String
  /// The address of the image for the page of the cover; empty for none.
  public let largeImageURL: String

  /// The view, the key and the columns of covers.
  public static let recordDescription = RecordDescription(
    table: "cover_list", key: \.id, making: Cover.init,
    Column("id", \.id), Column("artist", \.artist), Column("label", \.label),
    Column("release_year", \.releaseYear), Column("small_image_url", \.smallImageURL),
    Column("large_image_url", \.largeImageURL))
}
