@_exported public import Basics

/// An error in a provider, or in the changes that it reports.
///
/// Sendable: a plain value.
public struct ProviderViolation: DescribedError, Hashable, Sendable {
  /// The kind of a violation. Kinds may be added: always have a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The name of the kind.
    public let description: String
    /// What to do next, in the provider.
    let nextStep: String

    private init(_ description: String, _ nextStep: String) {
      self.description = description
      self.nextStep = nextStep
    }

    /// A section has a negative number of rows, or two different numbers, or its number cannot be read.
    public static let counts = Code("counts", "Count the rows that there are")
    /// A section or row that does not exist is accepted, or rejected with the wrong error.
    public static let missingError = Code(
      "missingError", "Check the index path, and throw a TableDataError with the code named here")
    /// The provider returned two different items for the same row.
    public static let unstableRow = Code(
      "unstableRow", "Return the same item until changes are reported")
    /// Two rows have the same identity.
    public static let duplicateIdentity = Code(
      "duplicateIdentity", "Give each row an identity of its own")
    /// There is a difference without an event for it.
    public static let silentChange = Code(
      "silentChange", "Report an event for each row and section that changes")
    /// Changes without an event were reported.
    public static let emptyChanges = Code(
      "emptyChanges", "Report nothing if nothing has changed, or set allowsEmptyChanges to true")
    /// An update or a move leads from one row to another one, or an identity is found at the index
    /// path of another row.
    public static let wrongIdentity = Code(
      "wrongIdentity", "Give each row one identity, and find the row by it")
    /// A row has more than one event, and neither leaves a deleted section nor enters an inserted
    /// one.
    public static let severalEvents = Code(
      "severalEvents", "Report a move, or set allowsReinsertedRows to true")
    /// The old content and the changes don't lead to the new content.
    public static let wrongResult = Code(
      "wrongResult", "Use old index paths for deletions, and new ones for insertions")
    /// Fewer events, or fewer moves among them, would have been enough.
    public static let notMinimal = Code(
      "notMinimal", "Report only what has changed, or set requiresMinimalChanges to false")
    /// A section has another identity, and is not reported as deleted and inserted.
    public static let sectionName = Code(
      "sectionName", "Report the section as deleted and inserted")
    /// The titles of a section have changed, and the section is not reported as updated.
    public static let staleHeader = Code(
      "staleHeader", "Report the section in updatedSections")
    /// The table shows something other than the provider's content.
    public static let staleCell = Code(
      "staleCell", "Report an update for each row whose content changes")

    /// A display event did not reach the provider that has the row, or another one got it.
    public static let displayEvent = Code(
      "displayEvent",
      "Forward each display event once, with the index path or the identity in the base")
    /// The harness cannot check display events, because it does not send them.
    public static let notObserved = Code(
      "notObserved", "Call observe() while the provider has no other observer")
    /// The content is changed again and again while rows are displayed.
    public static let endlessChanges = Code(
      "endlessChanges", "Change the content in a display event only if it is not yet changed")
    /// `contentWillChange` and `contentDidChange` do not alternate.
    public static let unpaired = Code(
      "unpaired", "Call contentWillChange once before each contentDidChange")
    /// The content has changed before `contentWillChange`.
    public static let changedEarly = Code(
      "changedEarly", "Change the content after contentWillChange")
  }

  /// The kind of violation.
  public let code: Code
  /// The description of the error, with the index path.
  public let message: String

  /// What to do next, in the provider.
  public var nextStep: String? { code.nextStep }

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
