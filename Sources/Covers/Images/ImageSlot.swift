/// A part of a screen that shows an image, in a cell or on a page.
///
/// ```swift
/// let image = ImageSlot()
/// images.show(cover.smallImageURL, in: image)
/// ```
///
/// An image is shown only if the slot still waits for it: when it is loaded, the cell may be used
/// for another row.
///
/// Not Sendable: use it on the actor of its cell.
package final class ImageSlot {
  /// The state of a slot.
  package enum State: Equatable {
    /// There is no image.
    case empty
    /// The image is being loaded.
    case loading
    /// The image is shown.
    case shown(CoverImage)
    /// The image could not be loaded.
    case failed(CoverError)
  }

  /// The state of the slot.
  package internal(set) var state = State.empty
  /// The address that ``state`` refers to; nil for none.
  package internal(set) var address: String?

  /// The number of the load that the slot waits for; nil for none.
  var ticket: Int?
  var load: Task<Void, Never>?

  /// Makes an empty slot.
  package init() {}

  deinit { load?.cancel() }

  /// Shows nothing, and waits for no image. Called before a cell is used for another row.
  package func clear() {
    load?.cancel()
    load = nil
    ticket = nil
    address = nil
    state = .empty
  }
}
