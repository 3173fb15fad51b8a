@_exported public import Basics
internal import SmallFoundation

/// An error of a list, with a message of one line that names the row or section. Sendable: a plain value.
public struct TableDataError: DescribedError, Hashable, Sendable {
  /// The kind of an error. Later versions may add kinds, so a `switch` needs a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The name of the kind.
    public let description: String

    private init(_ description: String) { self.description = description }

    /// A section that does not exist.
    public static let sectionOutOfRange = Code("sectionOutOfRange")
    /// A row that does not exist.
    public static let rowOutOfRange = Code("rowOutOfRange")
    /// An index path that is not `[section, row]`.
    public static let malformedIndexPath = Code("malformedIndexPath")
    /// An index title that no section has.
    public static let unknownIndexTitle = Code("unknownIndexTitle")

    /// An item, header or generator whose identity is already in use.
    public static let duplicateIdentity = Code("duplicateIdentity")
    /// A row without an identity of the required type.
    public static let unknownIdentity = Code("unknownIdentity")
    /// Content that already has an observer.
    public static let alreadyObserved = Code("alreadyObserved")
    /// A change that is made while the observer is being notified of another one.
    public static let changeInProgress = Code("changeInProgress")
    /// A row that cannot be deleted, moved or inserted.
    public static let notEditable = Code("notEditable")
    /// A view model of a type without a registered cell class.
    public static let unregisteredViewModel = Code("unregisteredViewModel")
    /// A second, different registration for a type of view model, an identifier or a destination.
    public static let duplicateRegistration = Code("duplicateRegistration")
    /// A cell that is not of the required class.
    public static let wrongCell = Code("wrongCell")
    /// A generator that makes no cell for this kind of table.
    public static let missingCell = Code("missingCell")
    /// A component that is already in the composed list, at any depth.
    public static let duplicateComponent = Code("duplicateComponent")
    /// A component that is not in the composed list.
    public static let unknownComponent = Code("unknownComponent")

    /// A generator that is not in the list.
    public static let unknownGenerator = Code("unknownGenerator")
    /// An action that a row does not have.
    public static let unknownAction = Code("unknownAction")
    /// A destination that is not registered, or that has no router.
    public static let unknownDestination = Code("unknownDestination")
  }

  /// The kind of error.
  public let code: Code
  /// What is wrong, with the index path and the counts.
  public let message: String
  /// What to do next; nil if the message says all of it.
  public let nextStep: String?

  /// Makes an error.
  public init(_ code: Code, _ message: String, nextStep: String? = nil) {
    self.code = code
    self.message = message
    self.nextStep = nextStep
  }
}

extension Error {
  /// What to show of any error.
  package var message: String { (self as? any LocalizedError)?.errorDescription ?? "\(self)" }
}

extension TableDataError {
  /// Throws unless a list of `count` sections has a section, or unless one can be inserted there.
  package static func requireSection(_ section: Int, count: Int, allowsEnd: Bool = false)
    throws(TableDataError)
  {
    guard section >= 0, section < (allowsEnd ? count + 1 : count) else {
      throw sectionOutOfRange(section, count: count)
    }
  }

  package static func sectionOutOfRange(_ section: Int, count: Int) -> TableDataError {
    TableDataError(.sectionOutOfRange, "there is no section \(section): the list has \(count)")
  }

  package static func sectionOutOfRange(_ indexPath: IndexPath, count: Int) -> TableDataError {
    TableDataError(
      .sectionOutOfRange,
      "there is no row \(indexPath): the list has \(count) section\(count == 1 ? "" : "s")")
  }

  package static func rowOutOfRange(_ indexPath: IndexPath, count: Int) -> TableDataError {
    TableDataError(
      .rowOutOfRange,
      "there is no row \(indexPath): its section has \(count) row\(count == 1 ? "" : "s")")
  }

  package static func malformedIndexPath(_ indexPath: IndexPath) -> TableDataError {
    TableDataError(
      .malformedIndexPath,
      "there is no row \(indexPath): the index path of a row is [section, row]")
  }

  package static func unknownIndexTitle(_ title: String, titles: [String]) -> TableDataError {
    TableDataError(
      .unknownIndexTitle,
      "no section has the index title \"\(title)\"",
      nextStep: titles.isEmpty
        ? "The list has no index titles" : "The titles are: " + titles.joined(separator: " "))
  }
}
