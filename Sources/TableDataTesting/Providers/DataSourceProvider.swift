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
/// It is the data source's observer only while it has an observer itself. The former observer of
/// the data source, such as a screen, is still notified, and is restored at the end. The sections
/// have the default index titles.
///
/// Not Sendable: use it where its data source is used.
public final class DataSourceProvider: ViewModelDataProvider {
  /// A row's identity and content.
  public struct Item: Identifiable, Equatable {
    /// The identity of the row, which does not depend on its position.
    public let id: AnyHashable
    /// The view model of the row as text.
    public let text: String
  }

  /// Notified of the data source's changes. Weak.
  public weak var observer: (any TableChangesObserver)? {
    didSet {
      if observer == nil { leave() } else if source.observer !== self { join() }
    }
  }
  /// The data source.
  public let source: any ComposableTableViewDataSource
  /// The former observer of the data source.
  private weak var former: (any TableChangesObserver)?

  /// Makes a provider for a data source, all of whose rows must have an identity.
  public init(_ source: any ComposableTableViewDataSource) { self.source = source }

  deinit {
    // A weak reference to `self` is already nil here.
    if source.observer == nil { source.observer = former }
  }

  private func join() {
    former = source.observer
    source.observer = self
  }

  private func leave() {
    if source.observer === self { source.observer = former }
    former = nil
  }

  /// The sections, named by their headers.
  public var sections: [SectionInfo] {
    (0..<source.numberOfSections).map { section in
      do {
        return SectionInfo(
          name: try source.titleForHeader(inSection: section),
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

  /// The identity and content of a row.
  ///
  /// - Throws: `ProviderViolation` of code `.wrongIdentity` for a row without an identity; what the
  ///   data source throws.
  public func itemForRow(atIndexPath indexPath: IndexPath) throws -> Item {
    guard let id = try source.identityForRow(at: indexPath) else {
      throw ProviderViolation(.wrongIdentity, "the row \(indexPath) has no identity")
    }
    return Item(id: id, text: String(describing: try source.viewModelForRow(at: indexPath)))
  }

  /// The identity of a row.
  ///
  /// - Throws: what the data source throws.
  public func identityForRow(atIndexPath indexPath: IndexPath) throws -> AnyHashable? {
    try source.identityForRow(at: indexPath)
  }

  /// The index path of the row with an identity; nil if there is none.
  ///
  /// - Throws: what the data source throws.
  public func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath? {
    try source.indexPath(forIdentity: identity)
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

// Forwards the notifications of the data source.
extension DataSourceProvider: TableChangesObserver {
  /// Notifies its own observer, and the former one of the data source.
  public func contentWillChange(of sender: any TableChangesSender) {
    observer?.contentWillChange(of: self)
    former?.contentWillChange(of: sender)
  }

  /// Notifies its own observer, and the former one of the data source, of the same changes.
  public func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
    observer?.contentDidChange(of: self, by: changes)
    former?.contentDidChange(of: sender, by: changes)
  }

  /// Notifies its own observer, and the former one of the data source.
  public func content(of sender: any TableChangesSender, didFailWith error: any Error) {
    observer?.content(of: self, didFailWith: error)
    former?.content(of: sender, didFailWith: error)
  }
}
