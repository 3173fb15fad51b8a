#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A data source that can be a part of a ``ComposedTableViewDataSource``, or a table's only one.
///
/// All sections and index paths are its own: it does not know what comes before it. A component
/// answers for sections, rows and cells; for the rest there are defaults.
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
/// A section or row that is not there throws `TableDataError`.
///
/// Not Sendable: it belongs where its table belongs.
public protocol ComposableTableViewDataSource: TableDataSource, TableChangesSender {
  /// The number of sections.
  var numberOfSections: Int { get }

  /// The number of rows of a section.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  func numberOfRows(inSection section: Int) throws -> Int

  /// What a row shows, whoever makes its cell.
  ///
  /// - Throws: `TableDataError` where there is no such row; what reading it throws.
  func viewModelForRow(at indexPath: IndexPath) throws -> Any

  /// What a row is, wherever it goes; nil, the default, for a row that is only its place.
  ///
  /// - Throws: as ``viewModelForRow(at:)``.
  func identityForRow(at indexPath: IndexPath) throws -> AnyHashable?

  /// Where the row of an identity is; nil, the default, when it is nowhere.
  ///
  /// - Throws: what reading the content throws.
  func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath?

  /// What a row's item is, also for those who know nothing of this list: what a ``Selection`` holds
  /// of it. The default is ``identityForRow(at:)``; a composed list gives what the component does.
  ///
  /// - Throws: as ``viewModelForRow(at:)``.
  func itemIdentityForRow(at indexPath: IndexPath) throws -> AnyHashable?

  /// Where the row of an item is; nil when it is nowhere. The default is
  /// ``indexPath(forIdentity:)``; a composed list has the first of the components that finds it.
  ///
  /// - Throws: what reading the content throws.
  func indexPath(forItemIdentity identity: AnyHashable) throws -> IndexPath?

  /// Called when the user selects a row. Does nothing by default.
  ///
  /// - Throws: `TableDataError` where there is no such row.
  func didSelectRow(at indexPath: IndexPath) throws

  /// The title of a section's header; nil, the default, for none.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  func titleForHeader(inSection section: Int) throws -> String?

  /// The title of a section's footer; nil, the default, for none.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  func titleForFooter(inSection section: Int) throws -> String?

  /// The titles of the index beside the list, without repetition; none by default.
  func sectionIndexTitles() -> [String]

  /// The first section of a title in the index.
  ///
  /// - Parameter position: the title's position in ``sectionIndexTitles()``.
  /// - Throws: `TableDataError` of code `.unknownIndexTitle`.
  func section(forSectionIndexTitle title: String, at position: Int) throws -> Int

  /// Whether the user may delete a row. The default is false.
  ///
  /// - Throws: `TableDataError` where there is no such row.
  func canEditRow(at indexPath: IndexPath) throws -> Bool

  /// Deletes a row, as the user wants it. The row goes when the changes come back.
  ///
  /// - Throws: `TableDataError` of code `.notEditable` where it must not; what writing throws.
  func commitDelete(forRowAt indexPath: IndexPath) throws

  /// Whether the user may move a row. The default is false.
  ///
  /// - Throws: `TableDataError` where there is no such row.
  func canMoveRow(at indexPath: IndexPath) throws -> Bool

  /// Moves a row, as the user wants it.
  ///
  /// - Parameter newIndexPath: its place afterwards.
  /// - Throws: `TableDataError` of code `.notEditable` where it must not; what writing throws.
  func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) throws

  /// Whether what a row of another component shows can be inserted here. The default is false.
  func canInsertRow(_ viewModel: Any, at indexPath: IndexPath) throws -> Bool

  /// Inserts what was a row of another component.
  ///
  /// - Parameter indexPath: its place afterwards.
  /// - Throws: `TableDataError` of code `.notEditable` where it must not; what writing throws.
  func insertRow(_ viewModel: Any, at indexPath: IndexPath) throws
}

// MARK: - Defaults

extension ComposableTableViewDataSource {
  /// Nil: rows are only their place.
  public func identityForRow(at indexPath: IndexPath) throws -> AnyHashable? { nil }

  /// Nil: no row is found again.
  public func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath? { nil }

  /// What the row is.
  public func itemIdentityForRow(at indexPath: IndexPath) throws -> AnyHashable? {
    try identityForRow(at: indexPath)
  }

  /// Where the row is.
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

  /// Throws: there are no titles.
  public func section(forSectionIndexTitle title: String, at position: Int) throws -> Int {
    try SectionIndex(sections: []).section(forTitle: title, at: position)
  }

  /// False.
  public func canEditRow(at indexPath: IndexPath) throws -> Bool { false }

  /// Throws: no row can be deleted.
  public func commitDelete(forRowAt indexPath: IndexPath) throws {
    throw TableDataError(.notEditable, "the row \(indexPath) cannot be deleted")
  }

  /// False.
  public func canMoveRow(at indexPath: IndexPath) throws -> Bool { false }

  /// Throws: no row can be moved.
  public func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) throws {
    throw TableDataError(.notEditable, "the row \(indexPath) cannot be moved")
  }

  /// False.
  public func canInsertRow(_ viewModel: Any, at indexPath: IndexPath) throws -> Bool { false }

  /// Throws: no row can be inserted.
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

  /// What a row is, wherever it goes.
  public func tableView(
    _ tableView: TableView, identityForRowAt indexPath: IndexPath
  ) throws -> AnyHashable? { try identityForRow(at: indexPath) }

  /// Where the row of an identity is; nil when it is nowhere.
  public func tableView(
    _ tableView: TableView, indexPathForIdentity identity: AnyHashable
  ) throws -> IndexPath? { try indexPath(forIdentity: identity) }
}
