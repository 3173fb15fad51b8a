#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Where a list gets its content from: sections, and an item for each row.
///
/// Whether the items lie in an array, in a database or in several other providers, a screen asks
/// the same questions. A conforming type answers two of them, the rest follow; and it has one
/// observer, whom it tells what changes:
///
/// ```swift
/// final class Planets: ViewModelDataProvider {
///   weak var observer: (any TableChangesObserver)?
///   let names = ["Mercury", "Venus"]
///   var sections: [SectionInfo] { [SectionInfo(name: nil, numberOfRows: names.count)] }
///   func itemForRow(atIndexPath indexPath: IndexPath) throws -> String { names[indexPath.row] }
/// }
/// ```
///
/// Index paths are `[section, row]`. A place that is not there throws `TableDataError`; it never
/// traps and is never answered by a neighbour.
///
/// Not Sendable: a provider belongs to whoever made it, the main actor in an app.
public protocol ViewModelDataProvider<Item>: TableChangesSender {
  /// What a row holds.
  associatedtype Item

  /// The sections, in order.
  var sections: [SectionInfo] { get }

  /// The content of a row.
  ///
  /// - Throws: `TableDataError` where there is no such row, and what reading the content throws.
  func itemForRow(atIndexPath indexPath: IndexPath) throws -> Item

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

  /// The titles of the index beside the list, without repetition.
  func sectionIndexTitles() -> [String]

  /// The first section of a title in the index.
  ///
  /// - Parameter position: the title's position in ``sectionIndexTitles()``.
  /// - Throws: `TableDataError` of code `.unknownIndexTitle`.
  func section(forSectionIndexTitle title: String, at position: Int) throws -> Int

  /// What a row is, wherever it goes: what to keep of a selected one. Nil for a row that is only its
  /// place.
  ///
  /// - Throws: as ``itemForRow(atIndexPath:)``.
  func identityForRow(atIndexPath indexPath: IndexPath) throws -> AnyHashable?

  /// Where the row of an identity is; nil when it is nowhere.
  ///
  /// - Throws: what reading the content throws.
  func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath?
}

extension ViewModelDataProvider {
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

  /// The titles of the index beside the list, without repetition.
  public func sectionIndexTitles() -> [String] { SectionIndex(sections: sections).titles }

  /// The first section of a title in the index.
  public func section(forSectionIndexTitle title: String, at position: Int) throws -> Int {
    try SectionIndex(sections: sections).section(forTitle: title, at: position)
  }

  /// The item's `id`, where it is `Identifiable`; with the item's type, where that differs from row
  /// to row.
  public func identityForRow(atIndexPath indexPath: IndexPath) throws -> AnyHashable? {
    ItemIdentity.of(try itemForRow(atIndexPath: indexPath))
  }

  /// Where the row of an identity is; nil when it is nowhere.
  ///
  /// Complexity: O(n), and all items are read; a provider that can look it up does so.
  public func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath? {
    for (section, info) in sections.enumerated() {
      for row in 0..<info.numberOfRows {
        let path = IndexPath(row: row, section: section)
        if try identityForRow(atIndexPath: path) == identity { return path }
      }
    }
    return nil
  }

  private func info(ofSection section: Int) throws -> SectionInfo {
    let sections = sections
    guard sections.indices.contains(section) else {
      throw TableDataError.sectionOutOfRange(section, count: sections.count)
    }
    return sections[section]
  }
}

/// A provider whose rows can be deleted, moved and inserted by whoever sees the list.
///
/// What is done here comes back to the observer as changes, like all others and once.
///
/// ```swift
/// if let list = provider as? any EditableDataProvider { try list.removeRow(atIndexPath: path) }
/// ```
public protocol EditableDataProvider<Item>: ViewModelDataProvider {
  /// Whether the row may be deleted. The default is true.
  ///
  /// - Throws: as ``ViewModelDataProvider/itemForRow(atIndexPath:)``.
  func canEditRow(atIndexPath indexPath: IndexPath) throws -> Bool

  /// Whether the row may be moved. The default is true.
  ///
  /// - Throws: as ``ViewModelDataProvider/itemForRow(atIndexPath:)``.
  func canMoveRow(atIndexPath indexPath: IndexPath) throws -> Bool

  /// Deletes a row.
  ///
  /// - Throws: `TableDataError` where there is no such row; what writing throws.
  func removeRow(atIndexPath indexPath: IndexPath) throws

  /// Moves a row.
  ///
  /// - Parameter newIndexPath: its place afterwards.
  /// - Throws: `TableDataError` where there is no such place; what writing throws.
  func moveRow(atIndexPath indexPath: IndexPath, toIndexPath newIndexPath: IndexPath) throws

  /// Inserts a row.
  ///
  /// - Parameter indexPath: its place afterwards.
  /// - Throws: `TableDataError` where there is no such place; what writing throws.
  func insertRow(_ item: Item, atIndexPath indexPath: IndexPath) throws
}

extension EditableDataProvider {
  /// True for each row.
  public func canEditRow(atIndexPath indexPath: IndexPath) throws -> Bool { true }
  /// True for each row.
  public func canMoveRow(atIndexPath indexPath: IndexPath) throws -> Bool { true }
}

/// What a cell shows: a value made for display, with an identity that survives edits and moves.
///
/// ```swift
/// struct TrackViewModel: ItemViewModel {
///   let id: Int64
///   let title: String
/// }
/// ```
public protocol ItemViewModel: Identifiable where ID: Sendable {}

/// What an item is among items of other types: its type and its own identity.
struct ItemIdentity: Hashable {
  private let type: ObjectIdentifier
  /// What it is among items of its type.
  let id: AnyHashable

  /// The identity of an item that is `Identifiable`, nil for another one.
  ///
  /// Where the items of a list may be of several types, two of them can have one `id`: there the
  /// type is a part of the identity.
  static func of<Item>(_ item: Item) -> AnyHashable? {
    guard let identifiable = item as? any Identifiable else { return nil }
    return Item.self is any Identifiable.Type ? erased(identifiable) : typed(identifiable)
  }

  /// The identity of an item among items of other types.
  static func typed(_ item: any Identifiable) -> AnyHashable {
    ItemIdentity(type: ObjectIdentifier(Swift.type(of: item)), id: erased(item))
  }

  /// The item's own `id` in an identity, where it is of a type.
  static func id<ID: Hashable>(of identity: AnyHashable?, as type: ID.Type) -> ID? {
    let id = (identity?.base as? ItemIdentity)?.id ?? identity
    return id?.base as? ID
  }

  private static func erased(_ item: some Identifiable) -> AnyHashable { AnyHashable(item.id) }
}
