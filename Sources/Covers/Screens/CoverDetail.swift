internal import FetchedResults
public import TableData

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The page of the selected cover. It knows no list: only what is selected, and the covers.
///
/// It follows what becomes of the cover, whoever changes it, and says so when it is deleted.
///
/// ```swift
/// let detail = try CoverDetail(controller, selection: selection) { log.error("\($0)") }
/// detail.didChange = { show(detail.state) }
/// try detail.start()
/// selection.select(cover.id)
/// ```
///
/// Not Sendable: it belongs to whoever made it, the main actor in an app.
public final class CoverDetail {
  /// What a page shows.
  public enum State: Hashable, Sendable {
    /// No cover is selected.
    case nothing
    /// The selected cover, as it is now.
    case shown(Cover)
    /// The cover that is selected is not there any more.
    case deleted
  }

  /// What the page shows.
  public private(set) var state = State.nothing
  /// The large image of the cover.
  public let image = ImageSlot()
  /// Called when the page shows something else.
  public var didChange: () -> Void = {}

  private let controller: DataController
  private let selection: Selection
  private let images: CoverImages?
  private let provider: FetchedResultsProvider<Cover>
  private let onError: (any Error) -> Void

  /// Makes a page that shows nothing yet.
  ///
  /// - Parameters:
  ///   - controller: the covers.
  ///   - selection: what to show: the `id` of a cover. Anything else is no cover.
  ///   - images: shows the large image; nil for none.
  ///   - onError: told when the cover cannot be read.
  /// - Throws: `FetchError` and `DatabaseError` where the database has no covers.
  public init(
    _ controller: DataController, selection: Selection, images: CoverImages? = nil,
    onError: @escaping (any Error) -> Void
  ) throws {
    self.controller = controller
    self.selection = selection
    self.images = images
    self.onError = onError
    provider = try FetchedResultsProvider(
      database: controller.database, request: controller.request(for: nil))
    provider.observer = self
    selection.addObserver(self)
  }

  /// Shows what is selected, and follows what anybody does to it.
  ///
  /// - Throws: `DatabaseError`.
  public func start(isolation: isolated any Actor = #isolation) throws {
    try provider.setRequest(controller.request(for: selection.identity(as: Cover.ID.self)))
    try provider.performFetch()
    provider.startObserving(isolation: isolation)
  }

  private func show() {
    let new: State
    do {
      new =
        switch (selection.identity(as: Cover.ID.self), try firstCover()) {
        case (nil, _): .nothing
        case (_?, nil): .deleted
        case (_?, let cover?): .shown(cover)
        }
    } catch {
      return onError(error)
    }
    guard new != state else { return }
    state = new
    if case .shown(let cover) = new, let images {
      images.show(cover.largeImageURL, in: image)
    } else {
      image.clear()
    }
    didChange()
  }

  private func firstCover() throws -> Cover? {
    try provider.numberOfRows(inSection: 0) > 0 ? try provider.object(at: [0, 0]) : nil
  }
}

extension CoverDetail: SelectionObserver {
  /// Called by the selection.
  public func selectionDidChange(_ selection: Selection) {
    do {
      try provider.setRequest(controller.request(for: selection.identity(as: Cover.ID.self)))
      // From one that is gone to another one nothing changes in the result.
      if provider.fetchedObjects != nil { show() }
    } catch {
      onError(error)
    }
  }
}

extension CoverDetail: TableChangesObserver {
  /// Called by the cover's provider.
  public func contentWillChange(of sender: any TableChangesSender) {}

  /// Called by the cover's provider.
  public func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
    show()
  }

  /// Called by the cover's provider.
  public func content(of sender: any TableChangesSender, didFailWith error: any Error) {
    onError(error)
  }
}
