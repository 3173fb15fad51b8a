internal import TableData
package import TableDataTesting

/// A row that shows a cover and its small image.
///
/// ```swift
/// for case let cell as CoverCell in table.visibleCells { draw(cell.cover, cell.image.state) }
/// ```
///
/// It shows the image of its present cover, or none. If the image of a former cover is loaded when
/// the cell is already used for another row, it is not shown.
///
/// Not Sendable: use it on the actor of its table.
package final class CoverCell: TableViewCell, Configurable {
  /// The cover that is shown; nil before the first.
  package private(set) var cover: Cover?
  package let image = ImageSlot()

  /// Removes the cover, and stops waiting for its image.
  package override func prepareForReuse() {
    cover = nil
    image.clear()
  }

  /// Shows a cover.
  package func configure(with viewModel: CoverViewModel) {
    cover = viewModel.cover
    if let images = viewModel.images {
      images.show(viewModel.cover.smallImageURL, in: image)
    } else {
      image.clear()
    }
  }
}
