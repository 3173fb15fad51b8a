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

  /// The new index paths of the rows whose content may not be what a view showed before, if it showed them at all.
  ///
  /// The view finds a row by its identity, so it keeps the cell of one that the changes delete and insert: because
  /// its section is new, for example.
  static func changedRows(
    _ changes: TableChanges, of source: any ComposableTableViewDataSource
  ) throws -> [IndexPath] {
    let newSections = newSections(changes, of: source)
    let inserted = Set(newSections)
    return changes.updatedRows.map(\.new) + changes.movedRows.map(\.to)
      + changes.insertedRows.filter { !inserted.contains($0.section) }
      + (try newSections.flatMap {
        IndexPath.rows(try source.numberOfRows(inSection: $0), inSection: $0)
      })
  }

  /// The new numbers of the sections whose header or footer may not be what a view showed before.
  static func changedSections(
    _ changes: TableChanges, of source: any ComposableTableViewDataSource
  ) -> [Int] { changes.updatedSections.map(\.new) + newSections(changes, of: source) }

  private static func newSections(
    _ changes: TableChanges, of source: any ComposableTableViewDataSource
  ) -> [Int] {
    changes.reset == nil ? changes.insertedSections : Array(0..<source.numberOfSections)
  }
}

#if canImport(UIKit) && !os(watchOS)
  extension NSDiffableDataSourceSnapshot
  where SectionIdentifierType == DiffableSection, ItemIdentifierType: Hashable & Sendable {
    /// The first state of a data source, for a diffable data source of UIKit that shows nothing yet. Complexity: O(n).
    ///
    /// - Throws: `TableDataError` with code `.unknownIdentity` for a row whose identity is not of the type, and with
    ///   code `.duplicateIdentity` for one that another row has; any error of the data source.
    @MainActor
    public init(_ source: any ComposableTableViewDataSource) throws {
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
    }

    /// The next state of a data source, for a diffable data source of UIKit.
    ///
    /// ```swift
    /// let snapshot = try NSDiffableDataSourceSnapshot<DiffableSection, Track.ID>(
    ///   list, after: changes, replacing: diffableDataSource.snapshot())
    /// diffableDataSource.apply(snapshot)
    /// ```
    ///
    /// Complexity: O(n).
    ///
    /// - Parameters:
    ///   - changes: the last changes. Rows with new content are reconfigured, and sections with another header are
    ///     reloaded.
    ///   - old: what is shown now. A row that is in it, and that the changes insert, had a cell in another section.
    /// - Throws: the same errors as the other initialiser.
    @MainActor
    public init(
      _ source: any ComposableTableViewDataSource, after changes: TableChanges, replacing old: Self
    ) throws {
      try self.init(source)
      // Only what had a cell is configured again: UIKit says nothing about items and sections that are new.
      let shownItems = Set(old.itemIdentifiers)
      let shownSections = Set(old.sectionIdentifiers)
      let items: [ItemIdentifierType] = try DiffableSection.changedRows(changes, of: source)
        .map { try DiffableSection.identity(of: source, at: $0) }
      reconfigureItems(items.filter(shownItems.contains))
      let sections = sectionIdentifiers
      reloadSections(
        DiffableSection.changedSections(changes, of: source).map { sections[$0] }
          .filter(shownSections.contains))
    }
  }
#endif
