internal import FetchedResults
package import TableData

/// The page of the selected cover. It depends on the selection and the covers, and not on a list.
///
/// It is updated when any connection changes the cover, and shows whether the cover was deleted.
///
/// ```swift
/// let detail = try CoverDetail(controller, selection: selection) { log.error("\($0)") }
/// detail.didChange = { show(detail.state) }
/// try detail.start()
/// selection.select(cover.id)
/// ```
///
/// Not Sendable: use it on one actor, the main actor in an app.
package final class CoverDetail {
  /// The content of a page.
  package enum State: Hashable, Sendable {
    /// No cover is selected.
    case nothing
    /// The selected cover, in its newest version.
    case shown(Cover)
    /// The selected cover was deleted.
    case deleted
  }

  /// The content of the page.
  package private(set) var state = State.nothing
  /// The large image of the cover.
  package let image = ImageSlot()
  /// Called when the content of the page has changed.
  package var didChange: () -> Void = {}

  private let controller: DataController
  private let selection: Selection
  private let images: CoverImages?
  private let provider: FetchedResultsProvider<Cover>
  private let onError: (any Error) -> Void

  /// Makes an empty page.
  ///
  /// - Parameters:
  ///   - controller: the covers.
  ///   - selection: the `id` of the cover to show. If it is anything else, there is no cover.
  ///   - images: shows the large image; nil for none.
  ///   - onError: called if the cover cannot be read.
  /// - Throws: `FetchError` and `DatabaseError` if the database has no covers.
  package init(
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

  /// Shows the selected cover, and starts observing commits of all connections.
  package func start(isolation: isolated any Actor = #isolation) throws {
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
        case (let id?, let cover?) where cover.id == id: .shown(cover)
        // The request for the selected cover is set at the end of a batch.
        case (_?, _?): state
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
  package func selectionDidChange(_ selection: Selection) {
    do {
      try provider.setRequest(controller.request(for: selection.identity(as: Cover.ID.self)))
      // If both the old and the new cover were deleted, the result does not change.
      if provider.fetchedObjects != nil { show() }
    } catch {
      onError(error)
    }
  }
}

extension CoverDetail: TableChangesObserver {
  /// Called by the cover's provider.
  package func contentWillChange(of sender: any TableChangesSender) {}

  /// Called by the cover's provider.
  package func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
    show()
  }

  /// Called by the cover's provider.
  package func content(of sender: any TableChangesSender, didFailWith error: any Error) {
    onError(error)
  }
}
