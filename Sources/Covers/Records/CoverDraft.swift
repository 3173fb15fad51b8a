/// A cover that is not in the collection yet, from a form or a file.
///
/// ```swift
/// let id = try controller.add(CoverDraft(artist: "Ada", label: "Engines", releaseYear: 1843))
/// ```
///
/// In JSON its keys are the columns of `cover_list`, so the output of `sections query` can be
/// imported: `{"artist": "Ada", "label": "Engines", "release_year": 1843}`. Artist and label are
/// required.
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
    case artist, label
    case releaseYear = "release_year"
    case smallImageURL = "small_image_url"
    case largeImageURL = "large_image_url"
  }

  /// Decodes a draft.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    artist = try values.decode(String.self, forKey: .artist)
    label = try values.decode(String.self, forKey: .label)
    releaseYear = try values.decodeIfPresent(Int.self, forKey: .releaseYear)
    smallImageURL = try values.decodeIfPresent(String.self, forKey: .smallImageURL) ?? ""
    largeImageURL = try values.decodeIfPresent(String.self, forKey: .largeImageURL) ?? ""
  }
}
