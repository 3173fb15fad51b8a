package import TableData

/// The list and the page as one screen: side by side, or one after the other if there is no space.
///
/// ```swift
/// let browser = try CoverBrowser(controller, presentation: .singleColumn) { log.error("\($0)") }
/// try browser.start()
/// try browser.master.screen.selectRow(at: [0, 3])
/// browser.visibleParts  // [.detail]
/// browser.back()
/// ```
///
/// Both presentations have the same two parts, which do not know each other. Only this class knows
/// both, and it only gives them the same selection and the same covers.
///
/// Not Sendable: use it on one actor, the main actor in an app.
package final class CoverBrowser {
  /// How the parts are shown.
  package enum Presentation: Hashable, Sendable {
    /// Side by side.
    case split
    /// The list, and the page in its place if a cover is selected.
    case singleColumn
  }

  /// A part of the screen.
  package enum Part: Hashable, Sendable {
    /// The list.
    case master
    /// The page of the selected cover.
    case detail
  }

  /// How the parts are shown. The parts are kept when it changes, when a window is resized, say.
  package var presentation: Presentation
  /// The list.
  package let master: CoverMaster
  /// The page.
  package let detail: CoverDetail
  /// The selection of both parts.
  package let selection: Selection

  /// Makes both parts.
  ///
  /// - Parameters:
  ///   - controller: the covers.
  ///   - presentation: how the parts are shown at first.
  ///   - images: shows the images; nil for none.
  ///   - onError: called if the content cannot be updated.
  /// - Throws: `FetchError` and `DatabaseError` if the database has no covers.
  package init(
    _ controller: DataController, presentation: Presentation, images: CoverImages? = nil,
    onError: @escaping (any Error) -> Void
  ) throws {
    let selection = Selection()
    self.selection = selection
    self.presentation = presentation
    master = try CoverMaster(controller, selection: selection, images: images, onError: onError)
    detail = try CoverDetail(controller, selection: selection, images: images, onError: onError)
  }

  /// Shows the covers, and starts observing commits of all connections.
  ///
  /// - Throws: `DatabaseError`.
  package func start(isolation: isolated any Actor = #isolation) throws {
    try master.start(isolation: isolation)
    try detail.start(isolation: isolation)
  }

  /// The parts that are shown, from left to right.
  package var visibleParts: [Part] {
    switch presentation {
    case .split: [.master, .detail]
    case .singleColumn: selection.identity == nil ? [.master] : [.detail]
    }
  }

  /// Returns to the list: nothing is selected then.
  package func back() { selection.select(nil) }
}
