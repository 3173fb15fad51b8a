#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What went wrong with a list, in one line that names the place.
public struct TableDataError: Error, Hashable, Sendable {
  /// The kind of an error. New kinds may come: always have a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    enum Kind: String {
      case sectionOutOfRange, rowOutOfRange, malformedIndexPath, unknownIndexTitle
      case duplicateIdentity, unknownIdentity, alreadyObserved, changeInProgress, notEditable
      case unregisteredViewModel, duplicateRegistration, wrongCell
      case duplicateComponent, unknownComponent, unknownGenerator, unknownDestination
    }

    let kind: Kind

    /// There is no section of that number.
    public static let sectionOutOfRange = Code(kind: .sectionOutOfRange)
    /// There is no row of that number in the section.
    public static let rowOutOfRange = Code(kind: .rowOutOfRange)
    /// An index path is not made of a section and a row.
    public static let malformedIndexPath = Code(kind: .malformedIndexPath)
    /// No section has that title in the index.
    public static let unknownIndexTitle = Code(kind: .unknownIndexTitle)

    /// Two rows with one identity.
    public static let duplicateIdentity = Code(kind: .duplicateIdentity)
    /// A row without an identity of the type that is asked for.
    public static let unknownIdentity = Code(kind: .unknownIdentity)
    /// Content that already has an observer.
    public static let alreadyObserved = Code(kind: .alreadyObserved)
    /// Content is changed while it tells its observer of a change.
    public static let changeInProgress = Code(kind: .changeInProgress)
    /// A row cannot be deleted, moved or inserted there.
    public static let notEditable = Code(kind: .notEditable)
    /// No cell class is registered for the type of a view model.
    public static let unregisteredViewModel = Code(kind: .unregisteredViewModel)
    /// Two cell classes for one type of view model, or for one identifier.
    public static let duplicateRegistration = Code(kind: .duplicateRegistration)
    /// A cell is not of the class that is registered.
    public static let wrongCell = Code(kind: .wrongCell)
    /// A component that is already in the composition, at whatever depth.
    public static let duplicateComponent = Code(kind: .duplicateComponent)
    /// A component that is not in the composition.
    public static let unknownComponent = Code(kind: .unknownComponent)

    /// A generator that is not in the list, and was said to be.
    public static let unknownGenerator = Code(kind: .unknownGenerator)
    /// A destination that nobody shows.
    public static let unknownDestination = Code(kind: .unknownDestination)

    /// The kind's name.
    public var description: String { kind.rawValue }
  }

  /// The kind of error.
  public let code: Code
  /// What happened, with the place and the counts.
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
      "there is no row \(indexPath): a path in a list is a section and a row")
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
