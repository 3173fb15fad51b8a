package import FetchedResults

/// A record cover of the collection: an album and its artist.
///
/// ```swift
/// let request = Cover.all.filter("release_year < \(1980)")
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

/// A cover that is not in the collection yet, from a form or a file.
///
/// ```swift
/// let id = try controller.add(CoverDraft(artist: "Ada", label: "Engines", releaseYear: 1843))
/// ```
///
/// In JSON its keys are the columns of `cover_list`, so the output of `sections query` can be
/// imported: `{"artist": "Ada", "label": "Engines", "release_year": 1843}`. The label is required. A
/// cover without an artist is one of ``unknownArtist``.
///
/// Sendable: a plain value.
package struct CoverDraft: Decodable, Hashable, Sendable {
  /// The artist's name. If there is no artist of this name, one is added.
  package var artist: String
  /// The album's title.
  package var label: String
  /// The year of the release; nil if it is unknown.
  package var releaseYear: Int?
  /// The address of the image for a list; empty for none.
  package var smallImageURL: String
  /// The address of the image for the page of the cover; empty for none.
  package var largeImageURL: String

  /// The artist of covers that have none.
  package static let unknownArtist = "Unknown artist"

  /// Makes a draft.
  package init(
    artist: String, label: String, releaseYear: Int? = nil, smallImageURL: String = "",
    largeImageURL: String = ""
  ) {
    self.artist = artist
    self.label = label
    self.releaseYear = releaseYear
    self.smallImageURL = smallImageURL
    self.largeImageURL = largeImageURL
  }

  private enum CodingKeys: String, CodingKey {
    case artist, label, small, large
    case releaseYear = "release_year"
    case smallImageURL = "small_image_url"
    case largeImageURL = "large_image_url"
  }

  /// Decodes a draft. The addresses of the images may be called `small` and `large` too.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    artist =
      try values.decodeIfPresent(String.self, forKey: .artist) ?? CoverDraft.unknownArtist
    label = try values.decode(String.self, forKey: .label)
    releaseYear = try values.decodeIfPresent(Int.self, forKey: .releaseYear)
    func text(_ key: CodingKeys) throws -> String? {
      try values.decodeIfPresent(String.self, forKey: key)
    }
    smallImageURL = try text(.smallImageURL) ?? text(.small) ?? ""
    largeImageURL = try text(.largeImageURL) ?? text(.large) ?? ""
  }
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
