public import Basics
internal import SmallFoundation
internal import TableData

/// An illegal update of a table.
///
/// If UITableView would raise an `NSInternalInconsistencyException`, the message has the same words.
///
/// Sendable: a plain value.
public struct TableUpdateError: DescribedError, Hashable, Sendable {
  /// The kind of an error. Later versions may add kinds, so a `switch` needs a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The name of the kind.
    public let description: String
    /// What to do next; nil if the message says it.
    let nextStep: String?

    private init(_ description: String, _ nextStep: String?) {
      self.description = description
      self.nextStep = nextStep
    }

    /// The new number of sections does not follow from the old one and the events.
    public static let sectionCount = Code(
      "sectionCount",
      "Change the data source and report each insertion and deletion in the same update")
    /// The new number of rows of a section does not follow from the old one and the events.
    public static let rowCount = Code(
      "rowCount",
      "Change the data source and report each insertion and deletion in the same update")
    /// A row or section that does not exist, before or after the update.
    public static let outOfRange = Code(
      "outOfRange",
      "Use old index paths for deletions, reloads and moves away, and new ones for the rest")
    /// An index path that is not `[section, row]`.
    public static let malformedIndexPath = Code("malformedIndexPath", "Give a section and a row")
    /// Two events with the same old index path, or two with the same new one.
    public static let conflict = Code(
      "conflict", "Report each row and section once, and a reset alone")
    /// A row moves out of a section that is deleted or reloaded.
    public static let moveOutOfDeletedSection = Code(
      "moveOutOfDeletedSection", "Report the row as inserted at its new index path")
    /// A row moves into a section that is inserted or reloaded.
    public static let moveIntoInsertedSection = Code(
      "moveIntoInsertedSection", "Report the row as deleted at its old index path")
    /// Events of the same kind are not in their order.
    public static let order = Code(
      "order",
      "Sort deletions in descending order, and all others by their new index path in ascending order"
    )
    /// An update's new index path does not follow from the other events.
    public static let updatedIndexPath = Code(
      "updatedIndexPath", "Give the index path that the row has after the other events")
    /// Some rows of a deleted or inserted section are listed and some are not.
    public static let incompleteSection = Code(
      "incompleteSection", "List all rows of the section, or none")
    /// `endUpdates` without `beginUpdates`.
    public static let unbalancedUpdates = Code("unbalancedUpdates", "Call beginUpdates first")
    /// A call that is not allowed during an update, or while the data source is being asked.
    public static let updateInProgress = Code("updateInProgress", "Wait until the update has ended")
    /// A row that is reconfigured, and has another kind of cell now.
    public static let reconfiguredCell = Code("reconfiguredCell", "Reload the row")
  }

  /// The kind of error.
  public let code: Code
  /// What is wrong, with the index paths and the counts.
  public let message: String

  /// What to do next; nil if the message says it.
  public var nextStep: String? { code.nextStep }

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension TableUpdateError {
  /// The error for an index path that does not name a row.
  static func malformed(_ path: IndexPath) -> TableUpdateError {
    TableUpdateError(
      .malformedIndexPath,
      "the index path (\(path.uikitDescription)) does not name a row: it must be a section and a row"
    )
  }
}
