#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A data source that can be the only one of a table, or a component of a
/// ``ComposedTableViewDataSource``.
///
/// All section numbers and index paths are its own: it does not know the components before it. A
/// conforming type implements sections, rows and cells; the other requirements have defaults.
///
/// ```swift
/// final class Greeting: ComposableTableViewDataSource {
///   weak var observer: (any TableChangesObserver)?
///   let numberOfSections = 1
///   func numberOfRows(inSection section: Int) -> Int { 1 }
///   func viewModelForRow(at indexPath: IndexPath) -> Any { "Hello" }
///   func tableView(
///     _ tableView: TableView, cellForRowAt indexPath: IndexPath
///   ) throws -> TableViewCell {
///     try tableView.dequeueReusableCell(withIdentifier: "greeting", for: indexPath)
///   }
/// }
/// ```
///
/// A section or row that does not exist throws `TableDataError`.
///
/// Not Sendable: use it on the actor of its table.
public protocol ComposableTableViewDataSource: TableDataSource, TableChangesSender {
  /// The number of sections.
  var numberOfSections: Int { get }

  /// The number of rows of a section.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  func numberOfRows(inSection section: Int) throws -> Int

  /// The view model of a row: what its cell shows.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of reading it.
  func viewModelForRow(at indexPath: IndexPath) throws -> Any

  /// The identity of a row, which does not depend on its position; nil, the default, for none.
  ///
  /// - Throws: as ``viewModelForRow(at:)``.
  func identityForRow(at indexPath: IndexPath) throws -> AnyHashable?

  /// The index path of the row with an identity; nil, the default, if there is none.
  ///
  /// - Throws: any error of reading the content.
  func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath?

  /// The identity of a row's item, which is the same in every list. A ``Selection`` keeps it. The default
  /// is ``identityForRow(at:)``; a composed list returns the one of the component.
  ///
  /// - Throws: as ``viewModelForRow(at:)``.
  func itemIdentityForRow(at indexPath: IndexPath) throws -> AnyHashable?

  /// The index path of the row with an item; nil if there is none. The default is
  /// ``indexPath(forIdentity:)``; a composed list returns the one of the first component that has it.
  ///
  /// - Throws: any error of reading the content.
  func indexPath(forItemIdentity identity: AnyHashable) throws -> IndexPath?

  /// Called when the user selects a row. The default does nothing.
  ///
  /// - Throws: `TableDataError` if the row does not exist.
  func didSelectRow(at indexPath: IndexPath) throws

  /// The title of a section's header; nil, the default, for none.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  func titleForHeader(inSection section: Int) throws -> String?

  /// The title of a section's footer; nil, the default, for none.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  func titleForFooter(inSection section: Int) throws -> String?

  /// The titles of the section index, without repetition; none by default.
  func sectionIndexTitles() -> [String]

  /// The first section with an index title.
  ///
  /// - Parameter position: the title's position in ``sectionIndexTitles()``.
  /// - Throws: `TableDataError` of code `.unknownIndexTitle`.
  func section(forSectionIndexTitle title: String, at position: Int) throws -> Int

  /// Whether the user may delete a row. The default is false.
  ///
  /// - Throws: `TableDataError` if the row does not exist.
  func canEditRow(at indexPath: IndexPath) throws -> Bool

  /// Deletes a row for the user. The changes of the content then update the table.
  ///
  /// - Throws: `TableDataError` of code `.notEditable` if it is not allowed; any error of writing.
  func commitDelete(forRowAt indexPath: IndexPath) throws

  /// Whether the user may move a row. The default is false.
  ///
  /// - Throws: `TableDataError` if the row does not exist.
  func canMoveRow(at indexPath: IndexPath) throws -> Bool

  /// Moves a row for the user.
  ///
  /// - Parameter newIndexPath: the index path after the move.
  /// - Throws: `TableDataError` of code `.notEditable` if it is not allowed; any error of writing.
  func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) throws

  /// Whether a view model of another component can be inserted. The default is false.
  func canInsertRow(_ viewModel: Any, at indexPath: IndexPath) throws -> Bool

  /// Inserts a view model of another component.
  ///
  /// - Parameter indexPath: the index path of the new row.
  /// - Throws: `TableDataError` of code `.notEditable` if it is not allowed; any error of writing.
  func insertRow(_ viewModel: Any, at indexPath: IndexPath) throws
}

// MARK: - Defaults

extension ComposableTableViewDataSource {
  /// Nil: rows have no identity.
  public func identityForRow(at indexPath: IndexPath) throws -> AnyHashable? { nil }

  /// Nil: rows have no identity.
  public func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath? { nil }

  /// The identity of the row.
  public func itemIdentityForRow(at indexPath: IndexPath) throws -> AnyHashable? {
    try identityForRow(at: indexPath)
  }

  /// The index path of the row.
  public func indexPath(forItemIdentity identity: AnyHashable) throws -> IndexPath? {
    try indexPath(forIdentity: identity)
  }

  /// Does nothing.
  public func didSelectRow(at indexPath: IndexPath) throws {}

  /// Nil: no header.
  public func titleForHeader(inSection section: Int) throws -> String? { nil }

  /// Nil: no footer.
  public func titleForFooter(inSection section: Int) throws -> String? { nil }

  /// No titles.
  public func sectionIndexTitles() -> [String] { [] }

  /// Throws an error: there are no titles.
  public func section(forSectionIndexTitle title: String, at position: Int) throws -> Int {
    try SectionIndex(sections: []).section(forTitle: title, at: position)
  }

  /// False.
  public func canEditRow(at indexPath: IndexPath) throws -> Bool { false }

  /// Throws an error: rows cannot be deleted.
  public func commitDelete(forRowAt indexPath: IndexPath) throws {
    throw TableDataError(.notEditable, "the row \(indexPath) cannot be deleted")
  }

  /// False.
  public func canMoveRow(at indexPath: IndexPath) throws -> Bool { false }

  /// Throws an error: rows cannot be moved.
  public func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) throws {
    throw TableDataError(.notEditable, "the row \(indexPath) cannot be moved")
  }

  /// False.
  public func canInsertRow(_ viewModel: Any, at indexPath: IndexPath) throws -> Bool { false }

  /// Throws an error: rows cannot be inserted.
  public func insertRow(_ viewModel: Any, at indexPath: IndexPath) throws {
    throw TableDataError(
      .notEditable, "\(type(of: viewModel)) cannot be inserted at \(indexPath)")
  }
}

// MARK: - For a headless table

extension ComposableTableViewDataSource {
  /// The number of sections.
  public func numberOfSections(in tableView: TableView) throws -> Int { numberOfSections }

  /// The number of rows of a section.
  public func tableView(
    _ tableView: TableView, numberOfRowsInSection section: Int
  ) throws -> Int { try numberOfRows(inSection: section) }

  /// The identity of a row.
  public func tableView(
    _ tableView: TableView, identityForRowAt indexPath: IndexPath
  ) throws -> AnyHashable? { try identityForRow(at: indexPath) }

  /// The index path of the row with an identity; nil if there is none.
  public func tableView(
    _ tableView: TableView, indexPathForIdentity identity: AnyHashable
  ) throws -> IndexPath? { try indexPath(forIdentity: identity) }
}
