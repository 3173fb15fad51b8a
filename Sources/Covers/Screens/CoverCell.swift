public import TableData

/// A row that shows a cover and its small image.
///
/// ```swift
/// for case let cell as CoverCell in table.visibleCells { draw(cell.cover, cell.image.state) }
/// ```
///
/// The image is that of the cover the cell shows, or none: an answer for the cover before it, which
/// comes when the cell is used for another row, is not shown.
///
/// Not Sendable: it belongs where its table belongs.
public final class CoverCell: TableViewCell, Configurable {
  /// The cover it shows; nil before the first.
  public private(set) var cover: Cover?
  /// Its image.
  public let image = ImageSlot()

  /// Shows nothing, and waits for no image.
  public override func prepareForReuse() {
    cover = nil
    image.clear()
  }

  /// Shows a cover.
  public func configure(with viewModel: CoverViewModel) {
    cover = viewModel.cover
    if let images = viewModel.images {
      images.show(viewModel.cover.smallImageURL, in: image)
    } else {
      image.clear()
    }
  }
}
