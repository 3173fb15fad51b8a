/// A place on a screen that shows an image: a cell's, or that of a page.
///
/// ```swift
/// let image = ImageSlot()
/// images.show(cover.smallImageURL, in: image)
/// ```
///
/// What is loaded for a slot reaches it only as long as it is meant to show that: it may be late, or
/// the cell used for another row by then.
///
/// Not Sendable: it belongs where its cell belongs.
public final class ImageSlot {
  /// What a slot shows.
  public enum State: Equatable {
    /// Nothing: there is no image.
    case empty
    /// Nothing yet.
    case loading
    /// An image.
    case shown(CoverImage)
    /// Why there is no image.
    case failed(CoverError)
  }

  /// What the slot shows.
  public internal(set) var state = State.empty
  /// The address that ``state`` is about; nil for none.
  public internal(set) var address: String?

  /// The load that the slot waits for; nil for none.
  var ticket: Int?
  var load: Task<Void, Never>?

  /// Makes a slot that shows nothing.
  public init() {}

  deinit { load?.cancel() }

  /// Shows nothing, and waits for nothing any more: before a cell is used for another row.
  public func clear() {
    load?.cancel()
    load = nil
    ticket = nil
    address = nil
    state = .empty
  }
}
