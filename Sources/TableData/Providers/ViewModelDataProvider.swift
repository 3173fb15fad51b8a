#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The content of a list: its sections, and an item for each row.
///
/// It is the same interface for an array, a database and a combination of other providers. A
/// conforming type implements `sections` and `itemForRow(at:)`; the other requirements have
/// defaults. It notifies its observer of changes:
///
/// ```swift
/// final class Planets: ViewModelDataProvider {
///   weak var observer: (any TableChangesObserver)?
///   let names = ["Mercury", "Venus"]
///   var sections: [SectionInfo] { [SectionInfo(name: nil, numberOfRows: names.count)] }
///   func itemForRow(at indexPath: IndexPath) throws -> String { names[indexPath.row] }
/// }
/// ```
///
/// Index paths are `[section, row]`. An index path that does not exist throws `TableDataError`; it does
/// not trap, and it does not give another row.
///
/// The name is one that this project was given. An item is any value: a view model as in MVVM is not
/// needed.
///
/// Not Sendable: use it on one actor, in an app on the main actor.
public protocol ViewModelDataProvider<Item>: TableChangesSender {
  /// The item of a row.
  associatedtype Item

  /// The sections, in order.
  var sections: [SectionInfo] { get }

  /// The item of a row.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of reading the item.
  func itemForRow(at indexPath: IndexPath) throws -> Item

  /// The number of sections.
  var numberOfSections: Int { get }

  /// The number of rows of a section.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  func numberOfRows(inSection section: Int) throws -> Int

  /// The title of a section's header; nil for none.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  func title(forSection section: Int) throws -> String?

  /// The identity of a section, which does not depend on its position or its titles: an immutable value. The
  /// default is its title; nil for a section without identity.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  func identityForSection(_ section: Int) throws -> AnyHashable?

  /// The titles of the section index, without repetition.
  func sectionIndexTitles() -> [String]

  /// The first section with an index title.
  ///
  /// - Parameter position: the title's position in ``sectionIndexTitles()``.
  /// - Throws: `TableDataError` of code `.unknownIndexTitle`.
  func section(forSectionIndexTitle title: String, at position: Int) throws -> Int

  /// The identity of a row, which does not depend on its position. A selection keeps it. Nil for a row
  /// without identity.
  ///
  /// - Throws: as ``itemForRow(at:)``.
  func identityForRow(at indexPath: IndexPath) throws -> AnyHashable?

  /// The index path of the row with an identity; nil if there is none.
  ///
  /// - Throws: any error of reading the content.
  func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath?

  /// Called when a row appears on the screen. It may change the content. The default does nothing.
  ///
  /// - Throws: any error of the reaction.
  func willDisplayRow(at indexPath: IndexPath) throws

  /// Called when a row is no longer on the screen, also because it was deleted. The default does nothing.
  func didEndDisplayingRow(withIdentity identity: AnyHashable)
}

extension ViewModelDataProvider {
  /// Does nothing.
  public func willDisplayRow(at indexPath: IndexPath) throws {}

  /// Does nothing.
  public func didEndDisplayingRow(withIdentity identity: AnyHashable) {}

  /// The number of sections.
  public var numberOfSections: Int { sections.count }

  /// The number of rows of a section.
  public func numberOfRows(inSection section: Int) throws -> Int {
    try info(ofSection: section).numberOfRows
  }

  /// The title of a section's header: its name.
  public func title(forSection section: Int) throws -> String? {
    try info(ofSection: section).name
  }

  /// The title of the section.
  public func identityForSection(_ section: Int) throws -> AnyHashable? {
    try title(forSection: section).map { AnyHashable($0) }
  }

  /// The titles of the section index, without repetition.
  public func sectionIndexTitles() -> [String] { SectionIndex(sections: sections).titles }

  /// The first section with an index title.
  public func section(forSectionIndexTitle title: String, at position: Int) throws -> Int {
    try SectionIndex(sections: sections).section(forTitle: title, at: position)
  }

  /// The item's `id` if it is `Identifiable`, else nil. If the items may be of several types, the type
  /// is a part of the identity.
  public func identityForRow(at indexPath: IndexPath) throws -> AnyHashable? {
    ItemIdentity.of(try itemForRow(at: indexPath))
  }

  /// The index path of the row with an identity; nil if there is none.
  ///
  /// Complexity: O(n), and all items are read. A provider with an index should implement it instead.
  public func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath? {
    for (section, info) in sections.enumerated() {
      for row in 0..<info.numberOfRows {
        let path = IndexPath(row: row, section: section)
        if try identityForRow(at: path) == identity { return path }
      }
    }
    return nil
  }

  private func info(ofSection section: Int) throws -> SectionInfo {
    let sections = sections
    try TableDataError.requireSection(section, count: sections.count)
    return sections[section]
  }
}

/// A provider whose rows the user can delete, move and insert.
///
/// The observer is notified of these changes, once, as of all others.
///
/// ```swift
/// if let list = provider as? any EditableDataProvider { try list.removeRow(at: path) }
/// ```
public protocol EditableDataProvider<Item>: ViewModelDataProvider {
  /// Whether the user may delete the row. The default is true.
  ///
  /// - Throws: as ``ViewModelDataProvider/itemForRow(at:)``.
  func canEditRow(at indexPath: IndexPath) throws -> Bool

  /// Whether the user may move the row. The default is true.
  ///
  /// - Throws: as ``ViewModelDataProvider/itemForRow(at:)``.
  func canMoveRow(at indexPath: IndexPath) throws -> Bool

  /// Deletes a row.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of writing.
  func removeRow(at indexPath: IndexPath) throws

  /// Moves a row.
  ///
  /// - Parameter newIndexPath: the index path after the move.
  /// - Throws: `TableDataError` if the index path does not exist; any error of writing.
  func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) throws

  /// Where a row is to go that the user drags to a place. The default is that place.
  ///
  /// - Parameter proposed: the index path after the move, where the user holds the row.
  /// - Throws: `TableDataError` if the row does not exist.
  func targetIndexPathForMove(
    from indexPath: IndexPath, toProposed proposed: IndexPath
  ) throws -> IndexPath

  /// Whether an item can be inserted. The default is true.
  func canInsertRow(_ item: Item, at indexPath: IndexPath) -> Bool

  /// Inserts a row.
  ///
  /// - Parameter indexPath: the index path of the new row.
  /// - Throws: `TableDataError` if the index path does not exist; any error of writing.
  func insertRow(_ item: Item, at indexPath: IndexPath) throws
}

extension EditableDataProvider {
  /// True for each row.
  public func canEditRow(at indexPath: IndexPath) throws -> Bool { true }
  /// True for each row.
  public func canMoveRow(at indexPath: IndexPath) throws -> Bool { true }
  /// The proposed index path.
  public func targetIndexPathForMove(
    from indexPath: IndexPath, toProposed proposed: IndexPath
  ) throws -> IndexPath { proposed }
  /// True for each item.
  public func canInsertRow(_ item: Item, at indexPath: IndexPath) -> Bool { true }
}

/// A value that a cell shows. Its identity stays the same when it is edited or moved.
///
/// ```swift
/// struct TrackViewModel: ItemViewModel {
///   let id: Int64
///   let title: String
/// }
/// ```
public protocol ItemViewModel: Identifiable where ID: Sendable {}

/// The identity of an item among items of other types: its type and its own `id`.
struct ItemIdentity: Hashable {
  private let type: ObjectIdentifier
  /// The identity among items of its type.
  let id: AnyHashable

  /// The identity of an item; nil if it is not `Identifiable`.
  ///
  /// If the items of a list may be of several types, two of them can have the same `id`. Then the type
  /// is a part of the identity.
  static func of<Item>(_ item: Item) -> AnyHashable? {
    guard let identifiable = item as? any Identifiable else { return nil }
    return Item.self is any Identifiable.Type ? erased(identifiable) : typed(identifiable)
  }

  /// The identity of an item among items of other types.
  static func typed(_ item: any Identifiable) -> AnyHashable {
    ItemIdentity(type: ObjectIdentifier(Swift.type(of: item)), id: erased(item))
  }

  /// The item's own `id` in an identity; nil if it is of another type.
  static func id<ID: Hashable>(of identity: AnyHashable?, as type: ID.Type) -> ID? {
    let id = (identity?.base as? ItemIdentity)?.id ?? identity
    return id?.base as? ID
  }

  private static func erased(_ item: some Identifiable) -> AnyHashable { AnyHashable(item.id) }
}
