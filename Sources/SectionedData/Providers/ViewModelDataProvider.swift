/// The content of a list: its sections, and an item for each row.
///
/// A conforming type, an array, a database or a combination of other providers, has `sections` and `item(at:)`; the
/// other requirements have defaults. It notifies its observer of changes:
///
/// ```swift
/// final class Planets: ViewModelDataProvider {
///   weak var observer: (any TableChangesObserver)?
///   let names = ["Mercury", "Venus"]
///   var sections: [SectionInfo] { [SectionInfo(name: nil, numberOfRows: names.count)] }
///   func item(at indexPath: IndexPath) -> String { names[indexPath.row] }
/// }
/// ```
///
/// Index paths are `[section, row]`. Callers ask for a row by ``itemForRow(at:)``, which throws `TableDataError` if
/// there is no such row: `item(at:)` checks nothing. An item is any value: a view model as in MVVM is not needed. Not
/// Sendable: use it on one actor, in an app on the main actor.
public protocol ViewModelDataProvider<Item>: TableChangesSender {
  associatedtype Item

  /// The sections, in order.
  var sections: [SectionInfo] { get }

  /// The item of a row that exists. Call ``itemForRow(at:)``, which checks that.
  func item(at indexPath: IndexPath) throws -> Item

  /// The number of sections. The default is the count of ``sections``.
  var numberOfSections: Int { get }

  /// The number of rows of a section. It and ``numberOfSections`` are asked before each row is read. The defaults make
  /// ``sections`` each time: if there are many, keep them in a property, or count here.
  ///
  /// - Throws: `TableDataError` with code `.sectionOutOfRange`.
  func numberOfRows(inSection section: Int) throws -> Int

  /// The identity of a row, which does not depend on its position. A selection keeps it. Nil for a row without
  /// identity.
  func identityForRow(at indexPath: IndexPath) throws -> AnyHashable?

  /// The index path of the row with an identity; nil if there is none.
  func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath?

  /// The identity of a section, which does not depend on its position or its titles: a ``SectionID``, or another
  /// immutable value. Nil for a section without identity.
  func identityForSection(_ section: Int) throws -> AnyHashable?
}

/// A provider that is notified which of its rows are on the screen, as a ``PagingDataProvider`` is.
public protocol RowDisplayObserver: ViewModelDataProvider {
  /// Called when a row appears on the screen. It may change the content.
  func willDisplayRow(at indexPath: IndexPath) throws

  /// Called when a row is no longer on the screen, for example because it was deleted.
  func didEndDisplayingRow(withIdentity identity: AnyHashable)
}

extension ViewModelDataProvider {
  /// The count of ``sections``.
  public var numberOfSections: Int { sections.count }

  /// The number of rows that ``sections`` has for the section.
  public func numberOfRows(inSection section: Int) throws -> Int {
    try info(ofSection: section).numberOfRows
  }

  /// The item's `id` if it is `Identifiable`, else nil. If the items may be of several types, the type is a part of
  /// the identity.
  public func identityForRow(at indexPath: IndexPath) throws -> AnyHashable? {
    ItemIdentity.of(try itemForRow(at: indexPath))
  }

  /// Reads all items: O(n), or O(n · sections) if ``sections`` is made each time, because it is asked before each row
  /// is read. A provider with an index should implement it instead.
  public func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath? {
    for (section, info) in sections.enumerated() {
      for path in IndexPath.rows(info.numberOfRows, inSection: section)
      where try identityForRow(at: path) == identity { return path }
    }
    return nil
  }

  /// The name of the section, as a ``SectionID``.
  public func identityForSection(_ section: Int) throws -> AnyHashable? {
    try title(forSection: section).map { AnyHashable(SectionID($0)) }
  }
}

extension ViewModelDataProvider {
  /// The item of a row.
  ///
  /// - Throws: `TableDataError` with the index path and the counts if the row does not exist; any error of reading
  ///   the item.
  public func itemForRow(at indexPath: IndexPath) throws -> Item {
    try requireRow(at: indexPath)
    return try item(at: indexPath)
  }

  /// Throws unless the row exists.
  ///
  /// - Parameter allowsEnd: whether the end of a section is allowed too, as for an insert.
  /// - Throws: `TableDataError` with code `.malformedIndexPath`, `.sectionOutOfRange` or `.rowOutOfRange`.
  package func requireRow(at indexPath: IndexPath, allowsEnd: Bool = false) throws {
    try indexPath.requireRow(inSections: numberOfSections, allowsEnd: allowsEnd) {
      try numberOfRows(inSection: $0)
    }
  }

  /// The title of a section's header: its name.
  public func title(forSection section: Int) throws -> String? { try info(ofSection: section).name }

  /// The titles of the section index, without repetition.
  public func sectionIndexTitles() -> [String] { SectionIndex(sections: sections).titles }

  /// The first section with an index title, whose position is that in ``sectionIndexTitles()``.
  ///
  /// - Throws: `TableDataError` with code `.unknownIndexTitle`.
  public func section(forSectionIndexTitle title: String, at position: Int) throws(TableDataError)
    -> Int
  {
    try SectionIndex(sections: sections).section(forTitle: title, at: position)
  }

  private func info(ofSection section: Int) throws -> SectionInfo {
    let sections = sections
    try TableDataError.requireSection(section, count: sections.count)
    return sections[section]
  }
}
