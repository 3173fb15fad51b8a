#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What a ``TableView`` asks for its content: how many sections and rows, and a cell for a row.
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
/// The table asks only while it is not being updated: never between `beginUpdates` and
/// `endUpdates`. All index paths it gives are those of the state it asks for. What an answer throws
/// comes out where the table was told to do what made it ask.
///
/// Not Sendable: it belongs where its table belongs.
public protocol TableDataSource: AnyObject {
  /// The number of sections.
  func numberOfSections(in tableView: TableView) throws -> Int

  /// The number of rows of a section.
  func tableView(_ tableView: TableView, numberOfRowsInSection section: Int) throws -> Int

  /// A cell that shows the row: one that the table gave for it, or a new one.
  func tableView(
    _ tableView: TableView, cellForRowAt indexPath: IndexPath
  ) throws -> TableViewCell

  /// What a row is, wherever it may go: what the table keeps of a selected one. Nil, which is the
  /// default, for a row that is only its place.
  func tableView(
    _ tableView: TableView, identityForRowAt indexPath: IndexPath
  ) throws -> AnyHashable?

  /// Where the row of an identity is now; nil, which is the default, when it is nowhere.
  ///
  /// It is asked when the changes alone don't tell: after a reload, and when the row was deleted and
  /// inserted elsewhere in one batch.
  func tableView(
    _ tableView: TableView, indexPathForIdentity identity: AnyHashable
  ) throws -> IndexPath?
}

extension TableDataSource {
  /// Rows are only their place.
  public func tableView(
    _ tableView: TableView, identityForRowAt indexPath: IndexPath
  ) throws -> AnyHashable? { nil }

  /// No row is found again.
  public func tableView(
    _ tableView: TableView, indexPathForIdentity identity: AnyHashable
  ) throws -> IndexPath? { nil }
}
