package import FetchedResults
internal import SQLiteStorage
internal import TableData

/// Covers in sections, a section for each artist, in the user's order.
///
/// ```swift
/// let list = try controller.makeList()
/// try list.performFetch()
/// try list.search("blue")
/// try list.removeRow(at: [0, 2])  // goes when the change comes back
/// ```
///
/// Deletes and moves are written to the database. The observer is notified when the list observes
/// the commit. The identity of a row is the cover's `id`.
///
/// Not Sendable: use it on one actor, the main actor in an app.
package final class CoverList: DerivedDataProvider {
  /// Notified of changes. Weak.
  package weak var observer: (any TableChangesObserver)?
  /// Called after the observer was notified of changes: for a log, say.
  package var didChange: (TableChanges) -> Void = { _ in }
  /// The text to search for; empty for all covers.
  package private(set) var searchText = ""

  private let controller: DataController
  private let images: CoverImages?
  package let base: FetchedResultsProvider<Cover>

  init(_ controller: DataController, images: CoverImages?) throws {
    self.controller = controller
    self.images = images
    base = try FetchedResultsProvider(
      database: controller.database, request: controller.request(),
      // By name, ignoring case. Two artists whose names differ only in case stay two sections.
      sectionedBy: .expression(
        "\(\.artist)", order: .expression("lower(\(\.artist)) || char(0) || \(\.artist)")))
    base.observer = self
  }

  /// Reads the covers.
  package func performFetch() throws { try base.performFetch() }

  /// Starts observing commits of all connections, as `FetchedResultsProvider.startObserving()`
  /// does.
  package func startObserving(isolation: isolated (any Actor) = #isolation) {
    base.startObserving(isolation: isolation)
  }

  /// Shows only the covers with a text in their title or artist, and notifies the observer of the
  /// changes.
  ///
  /// - Parameter text: empty for all covers.
  /// - Returns: the changes.
  /// - Throws: `DatabaseError`; then nothing has changed.
  @discardableResult
  package func search(_ text: String) throws -> TableChanges {
    let old = searchText
    // Those who are notified of the changes read the new text.
    searchText = text
    do {
      return try base.setRequest(controller.request(matching: text))
    } catch {
      searchText = old
      throw error
    }
  }

  /// The years of the first and of the last release of an artist; nil if all are unknown.
  package func releaseYears(ofSection section: Int) throws -> ClosedRange<Int>? {
    let years = try base.totals(at: section)
    guard let first = try years.min(\.releaseYear), let last = try years.max(\.releaseYear) else {
      return nil
    }
    return first...last
  }

  // MARK: Content

  package func numberOfRows(inSection section: Int) throws -> Int {
    try base.numberOfRows(inSection: section)
  }

  package func item(at indexPath: IndexPath) throws -> CoverViewModel {
    CoverViewModel(cover: try base.object(at: indexPath), images: images)
  }
}

extension CoverList: EditableDataProvider {
  /// The target of the edit: covers are deleted and moved, also to another artist.
  package func destination(of edit: RowEdit<CoverViewModel>) -> IndexPath? { edit.target }

  /// Deletes or moves the cover in the database. Covers that a search hides keep their order.
  ///
  /// - Throws: `TableDataError` if an index path does not exist, and for an insert: to add a cover use
  ///   ``DataController/add(_:first:)``, which takes its content. ``CoverError/gone(_:)``;
  ///   `DatabaseError`.
  package func perform(_ edit: RowEdit<CoverViewModel>) throws {
    switch edit {
    case .delete(let path): try controller.delete(try base.object(at: path).id)
    case .move(let path, let target): try move(path, to: target)
    case .insert:
      throw TableDataError(.notEditable, "covers are added to the data controller, not to a list")
    }
  }

  private func move(_ indexPath: IndexPath, to newIndexPath: IndexPath) throws {
    let id = try base.object(at: indexPath).id
    let artist = try base.title(forSection: newIndexPath.section) ?? ""
    var shown: [Cover.ID] = []
    for row in 0..<(try base.numberOfRows(inSection: newIndexPath.section)) {
      shown.append(try base.object(at: IndexPath(row: row, section: newIndexPath.section)).id)
    }
    shown.removeAll { $0 == id }
    guard 0...shown.count ~= newIndexPath.row else {
      throw TableDataError(
        .rowOutOfRange, "there is no place \(newIndexPath): \(shown.count) other rows are in it")
    }
    let anchor = newIndexPath.row > 0 ? shown[newIndexPath.row - 1] : nil
    try controller.move(id, toArtist: artist, after: anchor)
  }
}

extension CoverList {
  /// Called by the base.
  package func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
    observer?.contentDidChange(of: self, by: changes)
    didChange(changes)
  }
}

/// A cover as a row of a list, and the source of its image.
///
/// ```swift
/// source.registerCell(CoverCell.self)
/// ```
///
/// Not Sendable: use it on the actor of its list.
package struct CoverViewModel: ItemViewModel {
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
