#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The content of a ``TableView``: the numbers of sections and rows, and a cell for each row.
///
/// ```swift
/// final class Names: TableDataSource {
///   var names = ["Mercury", "Venus"]
///   func numberOfSections(in tableView: TableView) -> Int { 1 }
///   func tableView(_ tableView: TableView, numberOfRowsInSection section: Int) -> Int { names.count }
///   func tableView(
///     _ tableView: TableView, cellForRowAt indexPath: IndexPath
///   ) throws -> TableViewCell {
///     let cell = try tableView.dequeueReusableCell(withIdentifier: "name", for: indexPath)
///     (cell as? NameCell)?.name = names[indexPath.row]
///     return cell
///   }
/// }
/// ```
///
/// The table does not call it during an update, between `beginUpdates` and `endUpdates`. All index paths
/// are in the coordinates of the current state. An error is rethrown by the table's method that made the
/// call.
///
/// The content may be changed while a cell is made and in a display event. The table shows the changes that
/// ``TableView/apply(_:)`` gets in the meantime as one batch, before the method that made the call returns.
///
/// Not Sendable: use it on the actor of its table.
public protocol TableDataSource: AnyObject {
  /// The number of sections.
  func numberOfSections(in tableView: TableView) throws -> Int

  /// The number of rows of a section.
  func tableView(_ tableView: TableView, numberOfRowsInSection section: Int) throws -> Int

  /// A cell that shows the row: one that the table has dequeued for it, or a new one.
  func tableView(
    _ tableView: TableView, cellForRowAt indexPath: IndexPath
  ) throws -> TableViewCell

  /// The title of a section's header; nil, the default, for none. The table keeps it until the section is
  /// updated.
  func tableView(_ tableView: TableView, titleForHeaderInSection section: Int) throws -> String?

  /// The title of a section's footer; nil, the default, for none.
  func tableView(_ tableView: TableView, titleForFooterInSection section: Int) throws -> String?

  /// The identity of a row, which does not depend on its position. The table keeps it for a selected row.
  /// Nil, the default, for a row without identity.
  func tableView(
    _ tableView: TableView, identityForRowAt indexPath: IndexPath
  ) throws -> AnyHashable?

  /// The index path of the row with an identity; nil, the default, if there is none.
  ///
  /// The table calls it to find a selected row again after a reload, and after a batch that deletes and
  /// inserts the row.
  func tableView(
    _ tableView: TableView, indexPathForIdentity identity: AnyHashable
  ) throws -> IndexPath?

  /// A new view of a section's header; nil, the default, for none. The table keeps it until the section is
  /// updated.
  func tableView(
    _ tableView: TableView, viewForHeaderInSection section: Int
  ) throws -> TableViewCell?

  /// A new view of a section's footer; nil, the default, for none.
  func tableView(
    _ tableView: TableView, viewForFooterInSection section: Int
  ) throws -> TableViewCell?

  /// Called when the cell of a row appears in the window, and when the row is reloaded. The default does
  /// nothing.
  func tableView(
    _ tableView: TableView, willDisplay cell: TableViewCell, forRowAt indexPath: IndexPath
  ) throws

  /// Called when a cell is no longer in the window, also because its row was deleted or is reloaded. The
  /// default does nothing.
  func tableView(_ tableView: TableView, didEndDisplaying cell: TableViewCell)
}

extension TableDataSource {
  /// Nil: no view.
  public func tableView(
    _ tableView: TableView, viewForHeaderInSection section: Int
  ) throws -> TableViewCell? { nil }

  /// Nil: no view.
  public func tableView(
    _ tableView: TableView, viewForFooterInSection section: Int
  ) throws -> TableViewCell? { nil }

  /// Does nothing.
  public func tableView(
    _ tableView: TableView, willDisplay cell: TableViewCell, forRowAt indexPath: IndexPath
  ) throws {}

  /// Does nothing.
  public func tableView(_ tableView: TableView, didEndDisplaying cell: TableViewCell) {}

  /// Nil: no header.
  public func tableView(
    _ tableView: TableView, titleForHeaderInSection section: Int
  ) throws -> String? { nil }

  /// Nil: no footer.
  public func tableView(
    _ tableView: TableView, titleForFooterInSection section: Int
  ) throws -> String? { nil }

  /// Nil: rows have no identity.
  public func tableView(
    _ tableView: TableView, identityForRowAt indexPath: IndexPath
  ) throws -> AnyHashable? { nil }

  /// Nil: rows have no identity.
  public func tableView(
    _ tableView: TableView, indexPathForIdentity identity: AnyHashable
  ) throws -> IndexPath? { nil }
}
