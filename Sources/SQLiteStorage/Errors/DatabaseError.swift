internal import CFetchedResultsSQLite

/// What went wrong with a database, in one line that says what, where, and what to do next.
///
/// ```swift
/// do {
///   try database.write { try $0.execute("INSERT INTO track(name) VALUES (?)", [.null]) }
/// } catch let error as DatabaseError where .constraint ~= error.resultCode {
///   print(error)
/// }
/// ```
public struct DatabaseError: Error, Sendable {
  /// The kind of an error. New kinds may come: always have a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    enum Kind: String {
      case sqlite, typeMismatch, missingColumn, invalidArguments, statementRefused
      case nestedWrite, migration, fileReplaced
    }

    let kind: Kind

    /// SQLite reported it: `resultCode` says more.
    public static let sqlite = Code(kind: .sqlite)
    /// A column holds a value of another type than was asked for.
    public static let typeMismatch = Code(kind: .typeMismatch)
    /// A row has no column of that name or number.
    public static let missingColumn = Code(kind: .missingColumn)
    /// A parameter has no value, or a value has no parameter.
    public static let invalidArguments = Code(kind: .invalidArguments)
    /// The SQL is not one statement that only reads.
    public static let statementRefused = Code(kind: .statementRefused)
    /// `write` was called from inside `write`.
    public static let nestedWrite = Code(kind: .nestedWrite)
    /// The path does not lead to the file that was opened any more.
    public static let fileReplaced = Code(kind: .fileReplaced)
    /// A migration file or the ledger is not in order.
    public static let migration = Code(kind: .migration)

    /// The kind's name.
    public var description: String { kind.rawValue }
  }

  /// The kind of error.
  public let code: Code
  /// SQLite's extended result code; `.ok` where SQLite was not asked or did not object.
  public let resultCode: ResultCode
  /// What happened, with the name of what it happened to.
  public let message: String
  /// The SQL it happened in, without the values bound to it.
  public let sql: String?
  /// What to do next, where that is known.
  public let nextStep: String?
  /// The error that led to this one.
  public let cause: (any Error)?

  /// Makes an error.
  public init(
    _ code: Code, _ message: String, resultCode: ResultCode = .ok, sql: String? = nil,
    nextStep: String? = nil, cause: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.resultCode = resultCode
    self.sql = sql
    self.nextStep = nextStep
    self.cause = cause
  }
}

extension DatabaseError: CustomStringConvertible {
  /// The message, the SQL on one line and the next step.
  public var description: String {
    var text = message
    if let sql {
      let line = sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      text += " — in: " + (line.count > 240 ? line.prefix(240) + "…" : line)
    }
    if let nextStep { text += ". " + nextStep }
    return text
  }
}

extension DatabaseError {
  /// The error of `handle`'s last call, which returned `status`.
  ///
  /// - Parameter path: the file, named in the message when the file itself is at fault.
  static func sqlite(
    _ status: Int32, handle: OpaquePointer?, sql: String? = nil, path: String? = nil
  ) -> DatabaseError {
    var code = ResultCode(rawValue: status)
    var message = String(cString: sqlite3_errstr(status))
    if let handle {
      let extended = ResultCode(rawValue: sqlite3_extended_errcode(handle))
      // The handle remembers its *last* error: use it only where it tells more of the same.
      if extended.primary == code.primary {
        code = extended
        message = String(cString: sqlite3_errmsg(handle))
      }
    }
    if let path { message += ": \(path)" }
    return DatabaseError(
      .sqlite, message, resultCode: code, sql: sql, nextStep: nextStep(for: code))
  }

  private static func nextStep(for code: ResultCode) -> String? {
    switch code {
    case .busy:
      "Another connection holds a lock; try again, or wait longer (busyTimeout)"
    case .corrupt:
      "Check the file with PRAGMA integrity_check, and restore it from a backup"
    case .notADatabase:
      "The file is not an SQLite database, or it is encrypted"
    case .readOnly:
      "Open the database for writing, and check the permissions of the file and its folder"
    case .permission, .cannotOpen:
      "Check that the path exists and that its permissions allow it"
    case .full:
      "Free some space on the disk"
    default: nil
    }
  }
}
