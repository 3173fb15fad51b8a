public import TableData

/// The list and the page as one screen: side by side, or one after the other where there is no room.
///
/// ```swift
/// let browser = try CoverBrowser(controller, presentation: .singleColumn) { log.error("\($0)") }
/// try browser.start()
/// try browser.master.screen.selectRow(at: [0, 3])
/// browser.visibleParts  // [.detail]
/// browser.back()
/// ```
///
/// Both presentations show the same two parts, which never meet: this is the one place that knows
/// them both, and all it does is to give them the same selection and the same covers.
///
/// Not Sendable: it belongs to whoever made it, the main actor in an app.
public final class CoverBrowser {
  /// How the parts are shown.
  public enum Presentation: Hashable, Sendable {
    /// Side by side.
    case split
    /// The list, and the page in its place where a cover is selected.
    case singleColumn
  }

  /// A part of the screen.
  public enum Part: Hashable, Sendable {
    /// The list.
    case master
    /// The page of the selected cover.
    case detail
  }

  /// How the parts are shown. They stay the same when it changes, when a window is resized, say.
  public var presentation: Presentation
  /// The list.
  public let master: CoverMaster
  /// The page.
  public let detail: CoverDetail
  /// What both of them share.
  public let selection: Selection

  /// Makes both parts.
  ///
  /// - Parameters:
  ///   - controller: the covers.
  ///   - presentation: how the parts are shown at first.
  ///   - images: shows the images; nil for none.
  ///   - onError: told when the content cannot be brought up to date.
  /// - Throws: `FetchError` and `DatabaseError` where the database has no covers.
  public init(
    _ controller: DataController, presentation: Presentation, images: CoverImages? = nil,
    onError: @escaping (any Error) -> Void
  ) throws {
    let selection = Selection()
    self.selection = selection
    self.presentation = presentation
    master = try CoverMaster(controller, selection: selection, images: images, onError: onError)
    detail = try CoverDetail(controller, selection: selection, images: images, onError: onError)
  }

  /// Shows the covers, and follows what anybody does to them.
  ///
  /// - Throws: `DatabaseError`.
  public func start(isolation: isolated any Actor = #isolation) throws {
    try master.start(isolation: isolation)
    try detail.start(isolation: isolation)
  }

  /// The parts that are shown, from left to right.
  public var visibleParts: [Part] {
    switch presentation {
    case .split: [.master, .detail]
    case .singleColumn: selection.identity == nil ? [.master] : [.detail]
    }
  }

  /// Goes back to the list: nothing is selected then.
  public func back() { selection.select(nil) }
}
