#if canImport(UIKit) && !os(watchOS)
  public import UIKit

  extension NSDiffableDataSourceSnapshot
  where SectionIdentifierType == DiffableSection, ItemIdentifierType: Hashable & Sendable {
    /// What a data source has now, for a diffable data source of UIKit.
    ///
    /// ```swift
    /// let snapshot = try NSDiffableDataSourceSnapshot<DiffableSection, Track.ID>(list, after: changes)
    /// diffableDataSource.apply(snapshot)
    /// ```
    ///
    /// Complexity: O(n).
    ///
    /// - Parameter changes: what has led there: the rows that stay and look different are configured
    ///   anew.
    /// - Throws: `TableDataError` of code `.unknownIdentity` for a row whose item has no identity of the
    ///   type; what the data source throws.
    @MainActor
    public init(
      _ source: any ComposableTableViewDataSource, after changes: TableChanges = TableChanges()
    ) throws {
      self.init()
      func identity(at path: IndexPath) throws -> ItemIdentifierType {
        try DiffableSection.identity(of: source, at: path)
      }
      for (number, section) in try DiffableSection.sections(of: source).enumerated() {
        appendSections([section])
        let count = try source.numberOfRows(inSection: number)
        appendItems(
          try (0..<count).map { try identity(at: IndexPath(row: $0, section: number)) },
          toSection: section)
      }
      let changed = changes.updatedRows.map(\.new) + changes.movedRows.map(\.to)
      reconfigureItems(try changed.map(identity))
    }
  }
#endif
