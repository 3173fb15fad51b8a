@_exported public import Basics

/// An error of a request, with a message and the next step.
///
/// Errors of the database are `DatabaseError`.
///
/// Sendable: a plain value.
public struct FetchError: DescribedError, Sendable {
  /// The kind of an error. Further kinds may be added: always have a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The name of the kind.
    public let description: String

    private init(_ description: String) { self.description = description }

    /// There is no table or view with this name, or the record is computed by a SELECT.
    public static let noSuchTable = Code("noSuchTable")
    /// The source has no column with this name.
    public static let noSuchColumn = Code("noSuchColumn")
    /// A condition does not fit a table that it is for.
    public static let invalidCondition = Code("invalidCondition")
    /// A property is computed, but must be stored.
    public static let computedProperty = Code("computedProperty")
    /// A key is needed, but the source or the record does not have it.
    public static let missingKey = Code("missingKey")
    /// A key is not unique, is missing, has the wrong number of values, or is not valid text.
    public static let invalidKey = Code("invalidKey")
    /// The request calls a nondeterministic function.
    public static let unstableFunction = Code("unstableFunction")
    /// The order separates rows of one section.
    public static let tornSection = Code("tornSection")
    /// A sum of integers is too large for an integer.
    public static let totalOverflow = Code("totalOverflow")
    /// A total is read that the request does not compute.
    public static let unknownTotal = Code("unknownTotal")
    /// A collation is not in the database's configuration.
    public static let unknownCollation = Code("unknownCollation")
    /// Content was requested before `performFetch`.
    public static let notFetched = Code("notFetched")
    /// The old content was requested while no batch was being delivered.
    public static let noPreviousContent = Code("noPreviousContent")
    /// A view uses `@Fetched`, but no view around it sets a database.
    public static let missingDatabase = Code("missingDatabase")
    /// A row of the result is missing from the file or out of order: the file is damaged, or a function or collation of
    /// the app is inconsistent.
    public static let vanishedRow = Code("vanishedRow")
    /// Two rows have the same key although the schema makes it unique: the file must be damaged.
    public static let damagedKey = Code("damagedKey")
    /// Two results cannot be compared, since their schemas give them different columns, orders or
    /// keys.
    public static let incomparable = Code("incomparable")
    /// The rows must be kept in memory, and would take more than the configuration allows.
    public static let resultTooLarge = Code("resultTooLarge")
    /// The record cannot be written: it is from a SELECT or a view, or a column is generated.
    public static let notWritable = Code("notWritable")
    /// No row was written: it does not exist, or a trigger or the table left it out.
    public static let noSuchRow = Code("noSuchRow")
    /// A row is not as the changes that are applied say that it was.
    public static let conflict = Code("conflict")
    /// Rows cannot be moved in a request that is not sorted by their position.
    public static let notOrdered = Code("notOrdered")
    /// A record to import or to write does not fit its table or its type.
    public static let invalidRecord = Code("invalidRecord")
    /// The columns of a `Codable` record cannot be determined from its `init(from:)`.
    public static let unknownColumns = Code("unknownColumns")
  }

  /// The kind of error.
  public let code: Code
  /// What is wrong, with the names and values involved.
  public let message: String
  /// What to do next.
  public let nextStep: String?

  /// The error of a view without a database.
  static var missingDatabase: FetchError {
    FetchError(
      .missingDatabase, "the view has no database",
      nextStep: "Add .database(_:) to this view or to one that contains it")
  }

  package init(_ code: Code, _ message: String, nextStep: String?) {
    self.code = code
    self.message = message
    self.nextStep = nextStep
  }
}

extension FetchError {
  /// The error for a row that is separated from the rest of its section.
  static func tornSection(
    _ key: KeyTuple, row: RowIdentity, _ previous: RowIdentity?
  ) -> FetchError {
    let previous = previous.map { ", but row \($0) before it does not" } ?? ""
    return tornSection(key, "row \(row) belongs to it" + previous)
  }

  /// - Parameter detail: where the section is torn.
  static func tornSection(_ key: KeyTuple, _ detail: String) -> FetchError {
    FetchError(
      .tornSection,
      "the order separates the rows of section \(RowIdentity(key: key)): \(detail)",
      nextStep: "Sort by the section key first")
  }

  /// The error for a sum of integers that SQLite cannot add.
  static func totalOverflow(_ name: String) -> FetchError {
    FetchError(
      .totalOverflow, "the total \(name) is too large for an integer",
      nextStep: "Add REAL values: sum(x * 1.0)")
  }

  /// The next step if a row was not written, although nothing has failed.
  static var whereRowsAreIgnored: String {
    "Look for RAISE(IGNORE) and ON CONFLICT IGNORE in its definition"
  }

  static func duplicateKey(_ identity: RowIdentity, columns: [String]) -> FetchError {
    FetchError(
      .invalidKey, "two rows have the key \(identity) in \(columns.joined(separator: ", "))",
      nextStep: "Give a key whose columns are unique together, "
        + "or leave such rows out by a condition")
  }

  /// The error for a key that SQLite does not find again.
  static func loneSurrogate(in identity: RowIdentity, columns: [String]) -> FetchError {
    FetchError(
      .invalidKey,
      "the key \(identity) in \(columns.joined(separator: ", ")) is not valid UTF-16",
      nextStep: "Correct it with UPDATE, or give another key")
  }

  /// The error for a key that cannot be a value of a request.
  static func unboundKey(_ identity: RowIdentity, columns: [String]) -> FetchError {
    FetchError(
      .invalidKey,
      "the key \(identity) in \(columns.joined(separator: ", ")) is not valid UTF-8",
      nextStep: "Correct it with UPDATE, or read the row with fetchOne")
  }

  /// The error for an identity with more or fewer values than the key has columns.
  static func wrongKey(_ identity: RowIdentity, of type: Any.Type, key: [String]) -> FetchError {
    FetchError(
      .invalidKey, "\(identity) does not identify a \(type)",
      nextStep: key.isEmpty
        ? "Name the columns of its key"
        : "Give a value for each of \(key.joined(separator: ", "))")
  }

  /// The error for two rows with one key although the schema makes it unique: the file is damaged.
  static func damagedKey(_ identity: RowIdentity, columns: [String]) -> FetchError {
    FetchError(
      .damagedKey,
      "two rows have the key \(identity) in \(columns.joined(separator: ", ")), which is unique",
      nextStep: "Check the file with PRAGMA integrity_check")
  }

  /// The error for a row that is in the index but not in its snapshot.
  static func vanishedRow(_ identity: RowIdentity) -> FetchError {
    FetchError(
      .vanishedRow, "row \(identity) is in an index but not in the table",
      nextStep: "Check the file with PRAGMA integrity_check")
  }

  /// The error for rows that would take too much memory.
  ///
  /// - Parameter limit: the number of bytes that they may take.
  static func resultTooLarge(limit: Int) -> FetchError {
    let size = limit < 1 << 20 ? "\(limit) bytes" : "\(limit >> 20) MiB"
    return FetchError(
      .resultTooLarge,
      "the rows are kept in memory to be compared, and would take more than \(size)",
      nextStep: "Select fewer rows, or raise packedSizeLimit of the configuration")
  }

  /// The error for rows that are not in the order of their sort keys.
  static var unsteadyOrder: FetchError {
    FetchError(
      .vanishedRow, "a row of the result is not where its sort key says",
      nextStep: "Check the file with PRAGMA integrity_check, and that the application's own "
        + "functions and collations give the same answer each time")
  }
}
