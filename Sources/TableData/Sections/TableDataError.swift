#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An error of a list, with a message of one line that names the row or section.
public struct TableDataError: Error, Hashable, Sendable {
  /// The kind of an error. Later versions may add kinds, so a `switch` needs a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    enum Kind: String {
      case sectionOutOfRange, rowOutOfRange, malformedIndexPath, unknownIndexTitle
      case duplicateIdentity, unknownIdentity, alreadyObserved, changeInProgress, notEditable
      case unregisteredViewModel, duplicateRegistration, wrongCell
      case duplicateComponent, unknownComponent, unknownGenerator, unknownDestination
    }

    let kind: Kind

    /// A section that does not exist.
    public static let sectionOutOfRange = Code(kind: .sectionOutOfRange)
    /// A row that does not exist.
    public static let rowOutOfRange = Code(kind: .rowOutOfRange)
    /// An index path that is not `[section, row]`.
    public static let malformedIndexPath = Code(kind: .malformedIndexPath)
    /// An index title that no section has.
    public static let unknownIndexTitle = Code(kind: .unknownIndexTitle)

    /// Two rows with the same identity.
    public static let duplicateIdentity = Code(kind: .duplicateIdentity)
    /// A row without an identity of the required type.
    public static let unknownIdentity = Code(kind: .unknownIdentity)
    /// Content that already has an observer.
    public static let alreadyObserved = Code(kind: .alreadyObserved)
    /// A change that is made while the observer is being notified of another one.
    public static let changeInProgress = Code(kind: .changeInProgress)
    /// A row that cannot be deleted, moved or inserted.
    public static let notEditable = Code(kind: .notEditable)
    /// A view model of a type without a registered cell class.
    public static let unregisteredViewModel = Code(kind: .unregisteredViewModel)
    /// Two registrations for the same type of view model, identifier or destination.
    public static let duplicateRegistration = Code(kind: .duplicateRegistration)
    /// A cell that is not of the required class.
    public static let wrongCell = Code(kind: .wrongCell)
    /// A component that is already in the composed list, at any depth.
    public static let duplicateComponent = Code(kind: .duplicateComponent)
    /// A component that is not in the composed list.
    public static let unknownComponent = Code(kind: .unknownComponent)

    /// A generator that is not in the list.
    public static let unknownGenerator = Code(kind: .unknownGenerator)
    /// A destination that is not registered, or that has no router.
    public static let unknownDestination = Code(kind: .unknownDestination)

    /// The kind's name.
    public var description: String { kind.rawValue }
  }

  /// The kind of error.
  public let code: Code
  /// What is wrong, with the index path and the counts.
  public let message: String

  /// Makes an error.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension TableDataError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}

extension TableDataError {
  /// The error for a section number outside of `0..<count`.
  public static func sectionOutOfRange(_ section: Int, count: Int) -> TableDataError {
    TableDataError(.sectionOutOfRange, "there is no section \(section): the list has \(count)")
  }

  /// The error for an index path whose section is outside of `0..<count`.
  public static func sectionOutOfRange(_ indexPath: IndexPath, count: Int) -> TableDataError {
    TableDataError(
      .sectionOutOfRange,
      "there is no row \(indexPath): the list has \(count) section\(count == 1 ? "" : "s")")
  }

  /// The error for an index path whose row is outside of `0..<count`.
  public static func rowOutOfRange(_ indexPath: IndexPath, count: Int) -> TableDataError {
    TableDataError(
      .rowOutOfRange,
      "there is no row \(indexPath): its section has \(count) row\(count == 1 ? "" : "s")")
  }

  /// The error for an index path that does not have two elements.
  public static func malformedIndexPath(_ indexPath: IndexPath) -> TableDataError {
    TableDataError(
      .malformedIndexPath,
      "there is no row \(indexPath): an index path of a row is a section and a row")
  }

  /// The error for a title that is not in the index.
  public static func unknownIndexTitle(_ title: String, titles: [String]) -> TableDataError {
    TableDataError(
      .unknownIndexTitle,
      "no section has the index title \"\(title)\"; "
        + (titles.isEmpty
          ? "there are no titles" : "the titles are: " + titles.joined(separator: " ")))
  }
}
