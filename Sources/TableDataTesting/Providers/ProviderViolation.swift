/// What a provider, or the changes it tells, got wrong.
///
/// Sendable: a plain value.
public struct ProviderViolation: Error, Hashable, Sendable {
  /// The kind of a violation. New kinds may come: always have a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    enum Kind: String {
      case counts, missingError, unstableRow, duplicateIdentity, sectionTitle, indexTitle
      case silentChange, emptyChanges, wrongIdentity, severalEvents, wrongResult, notMinimal
      case sectionName, staleCell, unpaired, changedEarly
    }

    let kind: Kind

    /// Two answers about the number of sections or rows differ.
    public static let counts = Code(kind: .counts)
    /// A place that is not there is answered, or refused with an error that does not say so.
    public static let missingError = Code(kind: .missingError)
    /// Asked twice for a row, the provider gave two different ones.
    public static let unstableRow = Code(kind: .unstableRow)
    /// Two rows have one identity.
    public static let duplicateIdentity = Code(kind: .duplicateIdentity)
    /// The title of a section's header is not the section's name.
    public static let sectionTitle = Code(kind: .sectionTitle)
    /// The titles of the index, or where they lead, don't fit the sections.
    public static let indexTitle = Code(kind: .indexTitle)
    /// Something is different and there was no event for it.
    public static let silentChange = Code(kind: .silentChange)
    /// Changes were told that have no event.
    public static let emptyChanges = Code(kind: .emptyChanges)
    /// An update or a move leads from one row to another one, or a row is found elsewhere by its
    /// identity.
    public static let wrongIdentity = Code(kind: .wrongIdentity)
    /// A row has more than one event, and is not one that crosses the border of a section which came
    /// or went.
    public static let severalEvents = Code(kind: .severalEvents)
    /// The old content and the changes don't make the new content.
    public static let wrongResult = Code(kind: .wrongResult)
    /// Fewer events, or fewer moves among them, would have said the same.
    public static let notMinimal = Code(kind: .notMinimal)
    /// A section is another one, by its name for example, and is not reported as another one.
    public static let sectionName = Code(kind: .sectionName)
    /// The table shows something else than the provider has.
    public static let staleCell = Code(kind: .staleCell)

    /// *Will* and *did* are not told in turns.
    public static let unpaired = Code(kind: .unpaired)
    /// The content has changed before *will* was told.
    public static let changedEarly = Code(kind: .changedEarly)

    /// The kind's name.
    public var description: String { kind.rawValue }
  }

  /// The kind of violation.
  public let code: Code
  /// What is wrong, with the place.
  public let message: String

  /// Makes a violation.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension ProviderViolation: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
