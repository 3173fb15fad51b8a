internal import FetchedResults
internal import SQLiteStorage
package import TableData

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

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
package final class CoverList: ViewModelDataProvider {
  /// Notified of changes. Weak.
  package weak var observer: (any TableChangesObserver)?
  /// Called after the observer was notified of changes: for a log, say.
  package var didChange: (TableChanges) -> Void = { _ in }
  /// The text to search for; empty for all covers.
  package private(set) var searchText = ""

  private let controller: DataController
  private let images: CoverImages?
  let provider: FetchedResultsProvider<Cover>

  init(_ controller: DataController, images: CoverImages?) throws {
    self.controller = controller
    self.images = images
    provider = try FetchedResultsProvider(
      database: controller.database, request: controller.request(),
      // By name, ignoring case. Two artists whose names differ only in case stay two sections.
      sectionedBy: .expression(
        "\(\.artist)", order: .expression("lower(\(\.artist)) || char(0) || \(\.artist)")))
    provider.observer = self
  }

  /// Reads the covers.
  ///
  /// - Throws: `DatabaseError`.
  package func performFetch() throws { try provider.performFetch() }

  /// Starts observing commits of all connections, as `FetchedResultsProvider.startObserving()`
  /// does.
  package func startObserving(isolation: isolated (any Actor) = #isolation) {
    provider.startObserving(isolation: isolation)
  }

  /// Updates the list to the newest version immediately.
  ///
  /// - Returns: the changes.
  /// - Throws: `DatabaseError`.
  @discardableResult
  package func refresh() throws -> TableChanges { try provider.refresh() }

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
      return try provider.setRequest(controller.request(matching: text))
    } catch {
      searchText = old
      throw error
    }
  }

  /// The years of the first and of the last release of an artist; nil if all are unknown.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  package func releaseYears(ofSection section: Int) throws -> ClosedRange<Int64>? {
    let years = try provider.totals(at: section)
    guard case .integer(let first)? = years.first, case .integer(let last)? = years.last else {
      return nil
    }
    return first...last
  }

  // MARK: Content

  /// The artists that have covers.
  package var sections: [SectionInfo] { provider.sections }

  /// The number of artists that have covers.
  package var numberOfSections: Int { provider.numberOfSections }

  /// The cover at an index path.
  ///
  /// - Throws: `TableDataError` if the row does not exist; `DatabaseError`.
  package func itemForRow(at indexPath: IndexPath) throws -> CoverViewModel {
    CoverViewModel(cover: try provider.object(at: indexPath), images: images)
  }

  /// The `id` of the cover at an index path.
  ///
  /// - Throws: `TableDataError` if the row does not exist.
  package func identityForRow(at indexPath: IndexPath) throws -> AnyHashable? {
    try provider.identityForRow(at: indexPath)
  }

  /// The index path of the cover with an `id`; nil if it is not in the list.
  ///
  /// - Throws: `DatabaseError`.
  package func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath? {
    try provider.indexPath(forIdentity: identity)
  }
}

extension CoverList: EditableDataProvider {
  /// Deletes the cover from the database.
  ///
  /// - Throws: `TableDataError` if the row does not exist; `DatabaseError`.
  package func removeRow(at indexPath: IndexPath) throws {
    try controller.delete(try provider.object(at: indexPath).id)
  }

  /// Moves the cover in the database, also to another artist. Covers that a search hides keep their
  /// order.
  ///
  /// - Throws: `TableDataError` if the index path does not exist; `FetchError` of code `.noSuchRow`;
  ///   `DatabaseError`.
  package func moveRow(
    at indexPath: IndexPath, to newIndexPath: IndexPath
  ) throws {
    let id = try provider.object(at: indexPath).id
    let artist = try provider.title(forSection: newIndexPath.section) ?? ""
    var shown: [Cover.ID] = []
    for row in 0..<(try provider.numberOfRows(inSection: newIndexPath.section)) {
      shown.append(try provider.object(at: IndexPath(row: row, section: newIndexPath.section)).id)
    }
    shown.removeAll { $0 == id }
    guard 0...shown.count ~= newIndexPath.row else {
      throw TableDataError.rowOutOfRange(newIndexPath, count: shown.count)
    }
    let anchor = newIndexPath.row > 0 ? shown[newIndexPath.row - 1] : nil
    try controller.move(id, toArtist: artist, after: anchor)
  }

  /// Always throws: to add a cover use ``DataController/add(_:first:)``, which takes its content.
  package func insertRow(_ item: CoverViewModel, at indexPath: IndexPath) throws {
    throw TableDataError(.notEditable, "covers are added to the data controller, not to a list")
  }
}

extension CoverList: TableChangesObserver {
  /// Called by the covers' provider.
  package func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
    observer?.contentDidChange(of: self, by: changes)
    didChange(changes)
  }
}

/// A cover as a row of a list, and the source of its image.
///
/// ```swift
/// try source.registerCell(class: CoverCell.self, identifier: "cover", for: CoverViewModel.self)
/// ```
///
/// Not Sendable: use it on the actor of its list.
package struct CoverViewModel: ItemViewModel {
  /// The cover.
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
