public import SectionedData

/// An object that is notified of the changes of a fetched result, modelled on Core Data's
/// controller delegate.
///
/// For each batch the methods are called in this order: will, all sections, all rows, the batch as a whole, did. In
/// `providerWillChangeContent` the provider still has the old content, from the first change on the new content. A
/// batch is one committed transaction or several merged ones. If nothing has changed, no method is called.
///
/// ```swift
/// final class Screen: FetchedResultsProviderDelegate {
///   func provider(_ provider: FetchedResultsProvider<Track>, didChange changes: TableChanges) {
///     print(changes)
///   }
/// }
/// ```
///
/// The methods are called on the actor that called ``FetchedResultsProvider/startObserving(isolation:)``, or inside the
/// call that fetches. They are not isolated to an actor, so a class on the main actor says that it conforms there:
///
/// ```swift
/// extension TrackScreen: @MainActor FetchedResultsProviderDelegate {
/// ```
///
/// A delegate has one type of record. To observe providers of several types with one object, make it
/// their ``FetchedResultsProvider/observer``.
///
/// ``provider(_:didChange:)-(_,TableChanges)`` is the one method that must be there, so that the compiler notices if its
/// name or its types are misspelt. The others have defaults: they do nothing, except for the section index title. If a
/// delegate writes or fetches, the changes follow as the next batch, never in the middle of this one.
public protocol FetchedResultsProviderDelegate<Record>: AnyObject {
  /// The type of the provider's records.
  associatedtype Record: Sendable

  /// The content is about to change.
  func providerWillChangeContent(_ provider: FetchedResultsProvider<Record>)

  /// A section was inserted, deleted or updated.
  ///
  /// - Parameter section: the old number of a deleted section, the new number of an inserted or
  ///   updated section.
  func provider(
    _ provider: FetchedResultsProvider<Record>, didChangeSectionAt section: Int,
    for type: SectionChangeType)

  /// A row was deleted, inserted, moved or updated.
  func provider(_ provider: FetchedResultsProvider<Record>, didChange change: RowChange)

  /// The whole batch as one value. It has no default.
  func provider(_ provider: FetchedResultsProvider<Record>, didChange changes: TableChanges)

  /// The content has changed.
  func providerDidChangeContent(_ provider: FetchedResultsProvider<Record>)

  /// The provider could not move to the newest version.
  ///
  /// The content is unchanged, observation continues, and the next success continues from this
  /// content.
  ///
  /// While a provider observes, an error that may end without a commit, such as a full disk, is
  /// retried after a quarter of a second, then after twice the previous delay, at most eight
  /// seconds. The same error is not reported again.
  func provider(_ provider: FetchedResultsProvider<Record>, didFailWith error: any Error)

  /// The provider can move to the newest version again, after it has reported that it could not.
  ///
  /// It is called before the changes, if there are any: the old content is still shown.
  func providerDidRecover(_ provider: FetchedResultsProvider<Record>)

  /// The title of a section in the section index; nil for none. By default the capitalised first
  /// character of the section's name.
  func provider(
    _ provider: FetchedResultsProvider<Record>, sectionIndexTitleForSectionName name: String
  ) -> String?
}

/// What happened to a section.
public enum SectionChangeType: Hashable, Sendable {
  /// The section was inserted.
  case insert
  /// The section was deleted.
  case delete
  /// The section has new totals or another name: draw its header and its footer again.
  case update
}

/// What happened to a row.
///
/// Sendable: a plain value.
public enum RowChange: Hashable, Sendable {
  /// The row at this old index path was deleted.
  case delete(at: IndexPath)
  /// The row at this new index path was inserted.
  case insert(at: IndexPath)
  /// The row was moved from an old index path to a new one; its content may have changed too.
  case move(from: IndexPath, to: IndexPath)
  /// The content of the row changed: its old index path and its new index path.
  case update(at: IndexPath, newIndexPath: IndexPath)
}

extension FetchedResultsProviderDelegate {
  /// Does nothing.
  public func providerWillChangeContent(_ provider: FetchedResultsProvider<Record>) {}
  /// Does nothing.
  public func provider(
    _ provider: FetchedResultsProvider<Record>, didChangeSectionAt section: Int,
    for type: SectionChangeType
  ) {}
  /// Does nothing.
  public func provider(_ provider: FetchedResultsProvider<Record>, didChange change: RowChange) {}
  /// Does nothing.
  public func providerDidChangeContent(_ provider: FetchedResultsProvider<Record>) {}
  /// Does nothing.
  public func provider(
    _ provider: FetchedResultsProvider<Record>, didFailWith error: any Error
  ) {}
  /// Does nothing.
  public func providerDidRecover(_ provider: FetchedResultsProvider<Record>) {}
  /// The capitalised first character of the name.
  public func provider(
    _ provider: FetchedResultsProvider<Record>, sectionIndexTitleForSectionName name: String
  ) -> String? { SectionInfo.indexTitle(forName: name) }
}

extension TableChanges {
  /// The row changes in the order of a batch: deletes, inserts, moves, updates.
  public var rowChanges: [RowChange] {
    var changes: [RowChange] = []
    forEachRowChange { changes.append($0) }
    return changes
  }

  func forEachRowChange(_ body: (RowChange) -> Void) {
    for path in deletedRows { body(.delete(at: path)) }
    for path in insertedRows { body(.insert(at: path)) }
    for move in movedRows { body(.move(from: move.from, to: move.to)) }
    for update in updatedRows { body(.update(at: update.old, newIndexPath: update.new)) }
  }
}
