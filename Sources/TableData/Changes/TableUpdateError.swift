#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Why a table refuses what it is told.
///
/// Where UITableView raises an `NSInternalInconsistencyException`, the message has its words.
///
/// Sendable: a plain value.
public struct TableUpdateError: Error, Hashable, Sendable {
  /// The kind of an error. New kinds may come: always have a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    enum Kind: String {
      case sectionCount, rowCount, outOfRange, malformedPath, conflict
      case moveOutOfDeletedSection, moveIntoInsertedSection
      case order, updatePlace, incompleteSection
      case unbalancedUpdates, updateInProgress, unregisteredCell, wrongCell
    }

    let kind: Kind

    /// The number of sections after the update is not the one that the events make.
    public static let sectionCount = Code(kind: .sectionCount)
    /// The number of rows of a section after the update is not the one that the events make.
    public static let rowCount = Code(kind: .rowCount)
    /// A row or section that is not there, before or after the update.
    public static let outOfRange = Code(kind: .outOfRange)
    /// An index path that is not `[section, row]`.
    public static let malformedPath = Code(kind: .malformedPath)
    /// Two events of one old place, or two of one new place.
    public static let conflict = Code(kind: .conflict)
    /// A row moves out of a section that is deleted or reloaded.
    public static let moveOutOfDeletedSection = Code(kind: .moveOutOfDeletedSection)
    /// A row moves into a section that is inserted or reloaded.
    public static let moveIntoInsertedSection = Code(kind: .moveIntoInsertedSection)
    /// The events of a kind are not in their order.
    public static let order = Code(kind: .order)
    /// An update's new place is not the one where the row is after the other events.
    public static let updatePlace = Code(kind: .updatePlace)
    /// Some rows of a deleted or inserted section are told and some are not.
    public static let incompleteSection = Code(kind: .incompleteSection)
    /// An end of updates without their begin.
    public static let unbalancedUpdates = Code(kind: .unbalancedUpdates)
    /// Something that has to wait until the updates, or the data source's answer, are finished.
    public static let updateInProgress = Code(kind: .updateInProgress)
    /// A reuse identifier without a cell class.
    public static let unregisteredCell = Code(kind: .unregisteredCell)
    /// A cell that already has another place.
    public static let wrongCell = Code(kind: .wrongCell)

    /// The kind's name.
    public var description: String { kind.rawValue }
  }

  /// The kind of error.
  public let code: Code
  /// What is wrong, with the places and the counts.
  public let message: String

  /// Makes an error.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension TableUpdateError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}

extension TableUpdateError {
  /// The error for an index path that does not name a row.
  static func malformed(_ path: IndexPath) -> TableUpdateError {
    TableUpdateError(
      .malformedPath,
      "the index path (\(path.uikitDescription)) is not one of a row: it must have a section and a "
        + "row")
  }
}
