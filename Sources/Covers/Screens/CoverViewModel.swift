public import TableData

/// A cover as a row of a list shows it, and where it has its image from.
///
/// ```swift
/// try source.registerCell(class: CoverCell.self, identifier: "cover", for: CoverViewModel.self)
/// ```
///
/// Not Sendable: it belongs where its list belongs.
public struct CoverViewModel: ItemViewModel {
  /// The cover.
  public let cover: Cover
  /// Shows the small image; nil for none.
  public let images: CoverImages?

  /// Makes what a row shows.
  public init(cover: Cover, images: CoverImages? = nil) {
    self.cover = cover
    self.images = images
  }

  /// The cover's `id`.
  public var id: Cover.ID { cover.id }
}
