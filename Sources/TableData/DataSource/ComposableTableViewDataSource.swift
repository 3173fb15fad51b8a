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

  /// Called when a row appears on the screen, and when it is reloaded there. It may change the
  /// content. The default does nothing.
  ///
  /// - Throws: any error of the reaction; the table's method that shows the row throws it.
  func willDisplayRow(at indexPath: IndexPath) throws

  /// Called when a row is no longer on the screen, also because it was deleted. A row without an identity is
  /// not reported. The default does nothing.
  func didEndDisplayingRow(withIdentity identity: AnyHashable)

  /// Called after ``willDisplayRow(at:)`` for the last row of all. The default does nothing.
  ///
  /// - Throws: as ``willDisplayRow(at:)``.
  func willDisplayLastRow() throws

  /// What the user can do with a row; nothing by default.
  ///
  /// - Throws: as ``viewModelForRow(at:)``.
  func actionsForRow(at indexPath: IndexPath) throws -> RowActions

  /// The height of a row in points; nil, the default, if its cell determines it.
  ///
  /// - Throws: as ``viewModelForRow(at:)``.
  func heightForRow(at indexPath: IndexPath) throws -> Double?

  /// Called when the user deselects a row. The default does nothing.
  ///
  /// - Throws: `TableDataError` if the row does not exist.
  func didDeselectRow(at indexPath: IndexPath) throws

  /// Whether a row stays selected when the user has selected it. The default is true; it is false for a
  /// button.
  ///
  /// - Throws: `TableDataError` if the row does not exist.
  func staysSelected(at indexPath: IndexPath) throws -> Bool

  /// The title of a section's header; nil, the default, for none.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  func titleForHeader(inSection section: Int) throws -> String?

  /// The title of a section's footer; nil, the default, for none.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  func titleForFooter(inSection section: Int) throws -> String?

  /// What the view of a section's header shows; nil, the default, for a header with a title only.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  func viewModelForHeader(inSection section: Int) throws -> Any?

  /// What the view of a section's footer shows; nil, the default, for a footer with a title only.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  func viewModelForFooter(inSection section: Int) throws -> Any?

  /// The identity of a section, which does not depend on its position or its titles: an immutable value.
  /// Nil, the default, for a section without identity.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  func identityForSection(_ section: Int) throws -> AnyHashable?

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

  /// Where a row is to go that the user drags to a place. The default is that place.
  ///
  /// - Parameter proposed: the index path after the move, where the user holds the row.
  /// - Returns: the index path after the move that ``moveRow(at:to:)`` accepts.
  /// - Throws: `TableDataError` if the row does not exist.
  func targetIndexPathForMove(
    from indexPath: IndexPath, toProposed proposed: IndexPath
  ) throws -> IndexPath

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

  /// Does nothing.
  public func willDisplayRow(at indexPath: IndexPath) throws {}

  /// Does nothing.
  public func didEndDisplayingRow(withIdentity identity: AnyHashable) {}

  /// Does nothing.
  public func willDisplayLastRow() throws {}

  /// No actions.
  public func actionsForRow(at indexPath: IndexPath) throws -> RowActions { RowActions() }

  /// Nil: the cell determines its height.
  public func heightForRow(at indexPath: IndexPath) throws -> Double? { nil }

  /// Does nothing.
  public func didDeselectRow(at indexPath: IndexPath) throws {}

  /// True.
  public func staysSelected(at indexPath: IndexPath) throws -> Bool { true }

  /// Nil: no header.
  public func titleForHeader(inSection section: Int) throws -> String? { nil }

  /// Nil: no footer.
  public func titleForFooter(inSection section: Int) throws -> String? { nil }

  /// Nil: the header has a title only.
  public func viewModelForHeader(inSection section: Int) throws -> Any? { nil }

  /// Nil: the footer has a title only.
  public func viewModelForFooter(inSection section: Int) throws -> Any? { nil }

  /// Nil: sections have no identity.
  public func identityForSection(_ section: Int) throws -> AnyHashable? { nil }

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

  /// The proposed index path.
  public func targetIndexPathForMove(
    from indexPath: IndexPath, toProposed proposed: IndexPath
  ) throws -> IndexPath { proposed }

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

  /// The title of a section's header.
  public func tableView(
    _ tableView: TableView, titleForHeaderInSection section: Int
  ) throws -> String? { try titleForHeader(inSection: section) }

  /// The title of a section's footer.
  public func tableView(
    _ tableView: TableView, titleForFooterInSection section: Int
  ) throws -> String? { try titleForFooter(inSection: section) }

  /// The identity of a row.
  public func tableView(
    _ tableView: TableView, identityForRowAt indexPath: IndexPath
  ) throws -> AnyHashable? { try identityForRow(at: indexPath) }

  /// The index path of the row with an identity; nil if there is none.
  public func tableView(
    _ tableView: TableView, indexPathForIdentity identity: AnyHashable
  ) throws -> IndexPath? { try indexPath(forIdentity: identity) }

  /// Notifies the row that it is displayed.
  public func tableView(
    _ tableView: TableView, willDisplay cell: TableViewCell, forRowAt indexPath: IndexPath
  ) throws {
    cell.displayedIdentity = try identityForRow(at: indexPath)
    try notifyWillDisplayRow(at: indexPath)
  }

  /// Notifies the row that it is no longer displayed.
  public func tableView(_ tableView: TableView, didEndDisplaying cell: TableViewCell) {
    if let identity = cell.displayedIdentity { didEndDisplayingRow(withIdentity: identity) }
  }

  /// Calls ``willDisplayRow(at:)``, and ``willDisplayLastRow()`` if the row is the last of all.
  package func notifyWillDisplayRow(at indexPath: IndexPath) throws {
    // The row may have another index path after the first call.
    let isLast = try isLastRow(at: indexPath)
    try willDisplayRow(at: indexPath)
    if isLast { try willDisplayLastRow() }
  }

  private func isLastRow(at indexPath: IndexPath) throws -> Bool {
    guard try indexPath.row == numberOfRows(inSection: indexPath.section) - 1 else { return false }
    return try (indexPath.section + 1..<numberOfSections).allSatisfy {
      try numberOfRows(inSection: $0) == 0
    }
  }
}
