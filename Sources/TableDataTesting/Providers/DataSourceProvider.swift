#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import TableData

/// A provider of the rows of a data source, so that the checks for providers can be used for it
/// too.
///
/// ```swift
/// let list = try ComposedTableViewDataSource([form, covers])
/// let harness = try ProviderHarness(DataSourceProvider(list))
/// harness.observe()
/// ```
///
/// It is the observer of the data source. The sections have the default index titles.
///
/// Not Sendable: use it where its data source is used.
public final class DataSourceProvider: ViewModelDataProvider {
  /// A row's identity and content.
  public struct Item: Identifiable, Equatable {
    /// The identity of the row, which does not depend on its position.
    public let id: AnyHashable
    /// The identity of what the row shows, which it keeps in another component of a composed list.
    public let itemID: AnyHashable?
    /// The view model of the row as text.
    public let text: String
  }

  /// Notified of the data source's changes. Weak.
  public weak var observer: (any TableChangesObserver)?
  /// The data source.
  public let source: any ComposableTableViewDataSource

  /// Makes a provider for a data source, all of whose rows must have an identity.
  ///
  /// - Throws: `TableDataError` of code `.alreadyObserved` if the data source has another observer, such
  ///   as a screen.
  public init(_ source: any ComposableTableViewDataSource) throws {
    self.source = source
    try source.setObserver(self)
  }

  /// The sections, named by their headers.
  public var sections: [SectionInfo] {
    (0..<source.numberOfSections).map { section in
      do {
        return SectionInfo(
          name: try source.titleForHeader(inSection: section),
          footer: try source.titleForFooter(inSection: section),
          numberOfRows: try source.numberOfRows(inSection: section))
      } catch {
        // The negative count is reported by the check of the counts.
        return SectionInfo(name: "\(error)", numberOfRows: -1)
      }
    }
  }

  /// The number of rows of a section.
  ///
  /// - Throws: what the data source throws.
  public func numberOfRows(inSection section: Int) throws -> Int {
    try source.numberOfRows(inSection: section)
  }

  /// The title of a section's header.
  ///
  /// - Throws: what the data source throws.
  public func title(forSection section: Int) throws -> String? {
    try source.titleForHeader(inSection: section)
  }

  /// The identity of a section, or its title if it has none.
  ///
  /// - Throws: what the data source throws.
  public func identityForSection(_ section: Int) throws -> AnyHashable? {
    try source.identityForSection(section) ?? AnyHashable(try title(forSection: section))
  }

  /// The identity and content of a row.
  ///
  /// - Throws: `ProviderViolation` of code `.wrongIdentity` for a row without an identity; what the
  ///   data source throws.
  public func itemForRow(at indexPath: IndexPath) throws -> Item {
    guard let id = try source.identityForRow(at: indexPath) else {
      throw ProviderViolation(.wrongIdentity, "the row \(indexPath.brief) has no identity")
    }
    return Item(
      id: id, itemID: try source.itemIdentityForRow(at: indexPath),
      text: String(describing: try source.viewModelForRow(at: indexPath)))
  }

  /// The identity of a row.
  ///
  /// - Throws: what the data source throws.
  public func identityForRow(at indexPath: IndexPath) throws -> AnyHashable? {
    try source.identityForRow(at: indexPath)
  }

  /// The index path of the row with an identity; nil if there is none.
  ///
  /// - Throws: what the data source throws.
  public func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath? {
    try source.indexPath(forIdentity: identity)
  }

  /// Notifies the data source that a row is displayed, and that the last row is.
  ///
  /// - Throws: what the data source throws.
  public func willDisplayRow(at indexPath: IndexPath) throws {
    try source.notifyWillDisplayRow(at: indexPath)
  }

  /// Notifies the data source that a row is no longer displayed.
  public func didEndDisplayingRow(withIdentity identity: AnyHashable) {
    source.didEndDisplayingRow(withIdentity: identity)
  }

  /// The titles of the index.
  public func sectionIndexTitles() -> [String] { source.sectionIndexTitles() }

  /// The first section with a title in the index.
  ///
  /// - Throws: what the data source throws.
  public func section(forSectionIndexTitle title: String, at position: Int) throws -> Int {
    try source.section(forSectionIndexTitle: title, at: position)
  }
}

// The default implementations notify its own observer.
extension DataSourceProvider: TableChangesObserver {}
