public import FetchedResults

/// A record sleeve of the collection: an album and its artist.
///
/// ```swift
/// let request = Cover.all.filter("release_year < ?", 1980)
/// ```
///
/// It is a row of the view `cover_list`, which puts the artist's name beside the cover; what writes
/// is the ``DataController``.
///
/// Sendable: a plain value.
public struct Cover: FetchableRecord, Identifiable, Hashable {
  /// What the cover is, wherever it goes.
  public let id: Int64
  /// The artist's name.
  public let artist: String
  /// The album's title.
  public let label: String
  /// The year of the release; nil where it is not known.
  public let releaseYear: Int?
  /// Where the image for a list is; empty for none.
  public let smallImageURL: String
  /// Where the image for a page of its own is; empty for none.
  public let largeImageURL: String

  /// Where covers come from.
  public static let recordDescription = RecordDescription(
    table: "cover_list", key: \.id, making: Cover.init,
    Column("id", \.id), Column("artist", \.artist), Column("label", \.label),
    Column("release_year", \.releaseYear), Column("small_image_url", \.smallImageURL),
    Column("large_image_url", \.largeImageURL))
}
