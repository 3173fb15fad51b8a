#if canImport(UIKit) && !os(watchOS)
  public import UIKit
#endif

// `@unchecked`: `AnyHashable` is not Sendable, because it may contain an object that changes. `TableSection` requires
// of the identity that it does not.
/// The identity of a section for a diffable data source, which the section keeps when renamed.
///
/// Two sections may have the same title. ``ComposableTableViewDataSource/section(_:)`` gives the title to show.
/// Sendable: a section's identity is an immutable value.
public struct DiffableSection: Hashable, @unchecked Sendable {
  /// The identity of the section, as the data source gives it; the title of a section without one; nil for a section
  /// with neither.
  public let identity: AnyHashable?
  /// The number of sections with the same identity before it: 0, unless sections have none.
  let occurrence: Int

  static func sections(
    of source: any ComposableTableViewDataSource
  ) throws -> [DiffableSection] {
    var occurrences: [AnyHashable?: Int] = [:]
    return try (0..<source.numberOfSections).map { number in
      let section = try source.section(number)
      let identity = section.identity ?? section.header.title.map { AnyHashable($0) }
      let occurrence = occurrences[identity, default: 0]
      occurrences[identity] = occurrence + 1
      return DiffableSection(identity: identity, occurrence: occurrence)
    }
  }

  /// The identity of a row's item.
  ///
  /// - Throws: `TableDataError` with code `.unknownIdentity` if the identity is not an `ID`.
  static func identity<ID: Hashable>(
    of source: any ComposableTableViewDataSource, at indexPath: IndexPath
  ) throws -> ID {
    let identity = try source.row(at: indexPath).itemIdentity
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
    /// - Parameter changes: the last changes. Their updated and moved rows are reconfigured, and sections with
    ///   another header are reloaded.
    /// - Throws: `TableDataError` with code `.unknownIdentity` for a row whose identity is not of the type, and with
    ///   code `.duplicateIdentity` for one that another row has; any error of the data source.
    @MainActor
    public init(
      _ source: any ComposableTableViewDataSource, after changes: TableChanges = TableChanges()
    ) throws {
      self.init()
      func identity(at path: IndexPath) throws -> ItemIdentifierType {
        try DiffableSection.identity(of: source, at: path)
      }
      let sections = try DiffableSection.sections(of: source)
      var known: Set<ItemIdentifierType> = []
      for (number, section) in sections.enumerated() {
        appendSections([section])
        let count = try source.numberOfRows(inSection: number)
        let identities = try IndexPath.rows(count, inSection: number).map { path in
          let identity = try identity(at: path)
          guard known.insert(identity).inserted else {
            throw TableDataError(
              .duplicateIdentity, "another row has the identity \(identity) of the row at \(path)")
          }
          return identity
        }
        appendItems(identities, toSection: section)
      }
      let changed = changes.updatedRows.map(\.new) + changes.movedRows.map(\.to)
      reconfigureItems(try changed.map(identity))
      reloadSections(changes.updatedSections.map { sections[$0.new] })
    }
  }
#endif
