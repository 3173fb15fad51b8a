#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import TableData

/// A data source as a provider of its rows, so that the checks for providers can be made of it too.
///
/// ```swift
/// let list = try ComposedTableViewDataSource([form, covers])
/// let harness = try ProviderHarness(DataSourceProvider(list))
/// harness.observe()
/// ```
///
/// It takes the data source's place for an observer only while it has one of its own. The observer that
/// was there before, such as a screen, is told as before, and gets its place back. Its sections have the
/// default index titles.
///
/// Not Sendable: it belongs where its data source belongs.
public final class DataSourceProvider: ViewModelDataProvider {
  /// What a row is, and what it shows.
  public struct Item: Identifiable, Equatable {
    /// What the row is, wherever it goes.
    public let id: AnyHashable
    /// What it shows, in words.
    public let text: String
  }

  /// Told what the data source tells. It is not kept alive.
  public weak var observer: (any TableChangesObserver)? {
    didSet {
      if observer == nil { leave() } else if source.observer !== self { join() }
    }
  }
  /// Whose rows these are.
  public let source: any ComposableTableViewDataSource
  /// The observer that the data source had.
  private weak var former: (any TableChangesObserver)?

  /// Shows a data source, all of whose rows must have an identity.
  public init(_ source: any ComposableTableViewDataSource) { self.source = source }

  deinit {
    // A weak reference to what goes is nil already.
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

  /// The sections, by their headers.
  public var sections: [SectionInfo] {
    (0..<source.numberOfSections).map { section in
      do {
        return SectionInfo(
          name: try source.titleForHeader(inSection: section),
          numberOfRows: try source.numberOfRows(inSection: section))
      } catch {
        // The check of the counts finds it: nothing has fewer rows than none.
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

  /// What a row is and shows.
  ///
  /// - Throws: `ProviderViolation` of code `.wrongIdentity` for a row without an identity; what the
  ///   data source throws.
  public func itemForRow(atIndexPath indexPath: IndexPath) throws -> Item {
    guard let id = try source.identityForRow(at: indexPath) else {
      throw ProviderViolation(.wrongIdentity, "the row \(indexPath) has no identity")
    }
    return Item(id: id, text: String(describing: try source.viewModelForRow(at: indexPath)))
  }

  /// What a row is.
  ///
  /// - Throws: what the data source throws.
  public func identityForRow(atIndexPath indexPath: IndexPath) throws -> AnyHashable? {
    try source.identityForRow(at: indexPath)
  }

  /// Where the row of an identity is; nil when it is nowhere.
  ///
  /// - Throws: what the data source throws.
  public func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath? {
    try source.indexPath(forIdentity: identity)
  }

  /// The titles of the index.
  public func sectionIndexTitles() -> [String] { source.sectionIndexTitles() }

  /// The first section of a title in the index.
  ///
  /// - Throws: what the data source throws.
  public func section(forSectionIndexTitle title: String, at position: Int) throws -> Int {
    try source.section(forSectionIndexTitle: title, at: position)
  }
}

// It shows what its data source has, and passes on what changes there.
extension DataSourceProvider: TableChangesObserver {
  /// Tells its own observer, and the one that the data source had.
  public func contentWillChange(of sender: any TableChangesSender) {
    observer?.contentWillChange(of: self)
    former?.contentWillChange(of: sender)
  }

  /// Tells its own observer, and the one that the data source had, of the same places.
  public func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
    observer?.contentDidChange(of: self, by: changes)
    former?.contentDidChange(of: sender, by: changes)
  }

  /// Tells its own observer, and the one that the data source had.
  public func content(of sender: any TableChangesSender, didFailWith error: any Error) {
    observer?.content(of: self, didFailWith: error)
    former?.content(of: sender, didFailWith: error)
  }
}
