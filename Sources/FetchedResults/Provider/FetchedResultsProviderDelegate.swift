public import TableData

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Told what changes in a fetched result, after Core Data's controller delegate.
///
/// For each batch of changes the calls come in this order: will, all sections, all rows, the batch
/// as a whole, did. In `providerWillChangeContent` the provider still answers with the old content,
/// in all others with the new one. A batch is one committed transaction, or several merged; where
/// nothing changed nothing is called.
///
/// ```swift
/// final class Screen: FetchedResultsProviderDelegate {
///   func provider(_ provider: FetchedResultsProvider<Track>, didChange changes: TableChanges) {
///     print(changes)
///   }
/// }
/// ```
///
/// All methods have a default that does nothing. What a delegate writes, or fetches, comes as the
/// next batch; it never comes in the middle of this one.
public protocol FetchedResultsProviderDelegate<Record>: AnyObject {
  /// What the provider fetches.
  associatedtype Record: Sendable

  /// The content is about to change.
  func providerWillChangeContent(_ provider: FetchedResultsProvider<Record>)

  /// A section came or went.
  ///
  /// - Parameter section: the old number of a deleted section, the new one of an inserted section.
  func provider(
    _ provider: FetchedResultsProvider<Record>, didChangeSectionAt section: Int,
    for type: SectionChangeType)

  /// A row came, went, moved or has new content.
  func provider(_ provider: FetchedResultsProvider<Record>, didChange change: RowChange)

  /// All of the batch in one value.
  func provider(_ provider: FetchedResultsProvider<Record>, didChange changes: TableChanges)

  /// The content has changed.
  func providerDidChangeContent(_ provider: FetchedResultsProvider<Record>)

  /// The newest version could not be reached. The content is as it was, observation goes on, and
  /// the next success starts from here.
  ///
  /// While a provider observes, what may pass without a commit, such as a full disk, is tried again
  /// after a quarter of a second, and then after twice as long each time, up to eight seconds. That is
  /// not told again.
  func provider(_ provider: FetchedResultsProvider<Record>, didFailWith error: any Error)

  /// The title in the index beside the list for a section; nil for none. The default is the
  /// capitalised first character of the name.
  func provider(
    _ provider: FetchedResultsProvider<Record>, sectionIndexTitleForSectionName name: String
  ) -> String?
}

/// What happened to a section.
public enum SectionChangeType: Hashable, Sendable {
  /// It came.
  case insert
  /// It went.
  case delete
}

/// What happened to a row.
///
/// Sendable: a plain value.
public enum RowChange: Hashable, Sendable {
  /// It went from this old place.
  case delete(at: IndexPath)
  /// It came to this new place.
  case insert(at: IndexPath)
  /// It went from an old place to a new one, and may have new content.
  case move(from: IndexPath, to: IndexPath)
  /// It has new content; its old place and its new place.
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
  public func provider(
    _ provider: FetchedResultsProvider<Record>, didChange changes: TableChanges
  ) {}
  /// Does nothing.
  public func providerDidChangeContent(_ provider: FetchedResultsProvider<Record>) {}
  /// Does nothing.
  public func provider(
    _ provider: FetchedResultsProvider<Record>, didFailWith error: any Error
  ) {}
  /// The capitalised first character of the name.
  public func provider(
    _ provider: FetchedResultsProvider<Record>, sectionIndexTitleForSectionName name: String
  ) -> String? { SectionInfo.indexTitle(forName: name) }
}

extension TableChanges {
  /// The row events, one after the other, in the order of a batch: deletes, inserts, moves, updates.
  public var rowChanges: [RowChange] {
    deletedRows.map { .delete(at: $0) } + insertedRows.map { .insert(at: $0) }
      + movedRows.map { .move(from: $0.from, to: $0.to) }
      + updatedRows.map { .update(at: $0.old, newIndexPath: $0.new) }
  }
}
