/// An end of a list at which pages are loaded.
///
/// In a feed the newer rows are at the start and the older ones at the end; in a chat it is the other way round.
public enum PageEdge: Hashable, Sendable, CaseIterable {
  /// Before the first row.
  case start
  /// After the last row.
  case end
}

/// The row at an end of a ``PagingDataProvider``: it says whether a page is being loaded there. A cell shows it.
public struct PageStatus: ItemViewModel, Hashable {
  /// What happens at an end of the list.
  public enum State: Hashable, Sendable {
    /// No page is being loaded. One is loaded when the row is displayed.
    case ready
    /// A page is being loaded.
    case loading
    /// Loading a page failed. ``PagingDataProvider/load(_:)`` tries again.
    case failed(message: String)
    /// Loading a page was cancelled. ``PagingDataProvider/load(_:)`` tries again.
    case cancelled
    /// There are no more pages.
    case finished
  }

  /// The end of the list.
  public let edge: PageEdge
  /// What happens there.
  public let state: State

  /// Makes a status.
  public init(_ edge: PageEdge, _ state: State) {
    self.edge = edge
    self.state = state
  }

  /// The end of the list.
  public var id: PageEdge { edge }
}

/// What a ``PagingDataProvider`` asks its loader for: the next page at an end of the list.
public struct PageRequest<Cursor: Sendable>: Sendable {
  /// The end of the list.
  public let edge: PageEdge
  /// Where the previous page at this end stopped; nil for the first page.
  public let cursor: Cursor?

  package init(_ edge: PageEdge, after cursor: Cursor?) {
    self.edge = edge
    self.cursor = cursor
  }
}

/// A page that a loader has loaded.
public struct LoadedPage<Element: Sendable, Cursor: Sendable>: Sendable {
  /// The items, in the order of the list.
  public let items: [Element]
  /// Where the page stops, for the next request; nil to keep the last one.
  public let cursor: Cursor?
  /// Whether there is no next page.
  public let isLast: Bool

  /// Makes a page. If `isLast` is not given, a page without items is the last.
  public init(_ items: [Element], cursor: Cursor? = nil, isLast: Bool? = nil) {
    self.items = items
    self.cursor = cursor
    self.isLast = isLast ?? items.isEmpty
  }
}
