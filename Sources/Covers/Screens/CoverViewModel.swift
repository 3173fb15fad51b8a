internal import TableData

/// A cover as a row of a list, and the source of its image.
///
/// ```swift
/// try source.registerCell(class: CoverCell.self, identifier: "cover", for: CoverViewModel.self)
/// ```
///
/// Not Sendable: use it on the actor of its list.
package struct CoverViewModel: ItemViewModel {
  /// The cover.
  package let cover: Cover
  /// Shows the small image; nil for none.
  package let images: CoverImages?

  /// Makes the view model of a row.
  package init(cover: Cover, images: CoverImages? = nil) {
    self.cover = cover
    self.images = images
  }

  /// The cover's `id`.
  package var id: Cover.ID { cover.id }
}
