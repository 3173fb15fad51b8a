#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A cover that is not in the collection yet: what a form or a file says of it.
///
/// ```swift
/// let id = try controller.add(CoverDraft(artist: "Ada", label: "Engines", releaseYear: 1843))
/// ```
///
/// In JSON its names are the columns of `cover_list`, so that what `sections query` prints can be read
/// again: `{"artist": "Ada", "label": "Engines", "release_year": 1843}`. Artist and label must be
/// there.
///
/// Sendable: a plain value.
public struct CoverDraft: Decodable, Hashable, Sendable {
  /// The artist's name. An artist of this name is found, or made.
  public var artist: String
  /// The album's title.
  public var label: String
  /// The year of the release; nil where it is not known.
  public var releaseYear: Int?
  /// Where the image for a list is; empty for none.
  public var smallImageURL: String
  /// Where the image for a page of its own is; empty for none.
  public var largeImageURL: String

  /// Makes a draft.
  public init(
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

  /// Reads a draft.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    artist = try values.decode(String.self, forKey: .artist)
    label = try values.decode(String.self, forKey: .label)
    releaseYear = try values.decodeIfPresent(Int.self, forKey: .releaseYear)
    smallImageURL = try values.decodeIfPresent(String.self, forKey: .smallImageURL) ?? ""
    largeImageURL = try values.decodeIfPresent(String.self, forKey: .largeImageURL) ?? ""
  }

  /// Refuses an address that leads to no image. The rest is the database's to check.
  ///
  /// - Throws: ``CoverError/invalidImageUrl(_:)``.
  func validate() throws(CoverError) {
    for address in [smallImageURL, largeImageURL] where !address.isEmpty {
      _ = try ImageLoader.url(at: address)
    }
  }
}
