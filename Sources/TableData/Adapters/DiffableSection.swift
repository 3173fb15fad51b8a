#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(UIKit) && !os(watchOS)
  public import UIKit
#endif

/// The identity of a section for a diffable data source: its title, and its number among the sections
/// with the same title.
///
/// Sendable: a plain value.
public struct DiffableSection: Hashable, Sendable {
  /// The title of the header; nil for none.
  public let title: String?
  /// The number of sections with the same title before it.
  public let occurrence: Int

  /// The sections of a data source, in order.
  static func sections(
    of source: any ComposableTableViewDataSource
  ) throws -> [DiffableSection] {
    var occurrences: [String?: Int] = [:]
    return try (0..<source.numberOfSections).map { number in
      let title = try source.titleForHeader(inSection: number)
      let occurrence = occurrences[title, default: 0]
      occurrences[title] = occurrence + 1
      return DiffableSection(title: title, occurrence: occurrence)
    }
  }

  /// The identity of a row's item.
  ///
  /// - Throws: `TableDataError` of code `.unknownIdentity` if the identity is not an `ID`.
  static func identity<ID: Hashable>(
    of source: any ComposableTableViewDataSource, at indexPath: IndexPath
  ) throws -> ID {
    let identity = try source.itemIdentityForRow(at: indexPath)
    guard let id = ItemIdentity.id(of: identity, as: ID.self) else {
      throw TableDataError(
        .unknownIdentity,
        "the identity of the row \(indexPath) is \(identity.map { "\($0)" } ?? "nil"), which is not a "
          + "\(ID.self)")
    }
    return id
  }
}

#if canImport(UIKit) && !os(watchOS)
  extension NSDiffableDataSourceSnapshot
  where SectionIdentifierType == DiffableSection, ItemIdentifierType: Hashable & Sendable {
    /// The current state of a data source, for a diffable data source of UIKit.
    ///
    /// ```swift
    /// let snapshot = try NSDiffableDataSourceSnapshot<DiffableSection, Track.ID>(list, after: changes)
    /// diffableDataSource.apply(snapshot)
    /// ```
    ///
    /// Complexity: O(n).
    ///
    /// - Parameter changes: the last changes. Their updated and moved rows are reconfigured.
    /// - Throws: `TableDataError` of code `.unknownIdentity` for a row whose identity is not of the type;
    ///   any error of the data source.
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
