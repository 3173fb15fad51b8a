@_exported public import Basics
internal import CLibrary
internal import CSQLite
internal import SmallFoundation

/// An error of a database. Its description is one line: what failed, where, and what to do next.
///
/// ```swift
/// do {
///   try database.write { try $0.execute("INSERT INTO track(name) VALUES (?)", [.null]) }
/// } catch let error as DatabaseError where .constraint ~= error.resultCode {
///   print(error)
/// }
/// ```
public struct DatabaseError: DescribedError, Sendable {
  /// The kind of an error. New kinds may be added: a `switch` needs a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The name of the kind.
    public let description: String

    private init(_ description: String) { self.description = description }

    /// SQLite reported an error; see `resultCode`.
    public static let sqlite = Code("sqlite")
    /// A column contains a value of another type than the requested one.
    public static let typeMismatch = Code("typeMismatch")
    /// A row has no column with this name or position.
    public static let missingColumn = Code("missingColumn")
    /// A parameter has no value, or a value has no parameter.
    public static let invalidArguments = Code("invalidArguments")
    /// The SQL is empty, has more than one statement or a NUL character, or is of a kind that is not allowed in this
    /// place.
    public static let statementRefused = Code("statementRefused")
    /// `write` or `read` was called inside `write`.
    public static let nestedWrite = Code("nestedWrite")
    /// The file that was opened, or its log, is no longer at its path.
    public static let fileReplaced = Code("fileReplaced")
    /// A version was to be read that is released and no longer the newest, or whose database was suspended or closed.
    public static let versionExpired = Code("versionExpired")
    /// The database is suspended or closed.
    public static let closed = Code("closed")
    /// A migration file or the table of applied migrations is wrong.
    public static let migration = Code("migration")
  }

  /// The kind of error.
  public let code: Code
  /// SQLite's extended result code; `.ok` if SQLite did not report an error.
  public let resultCode: ResultCode
  /// What failed, with the name of the object it concerns.
  public let message: String
  /// The SQL that failed, without its bound values.
  public let sql: String?
  /// What to do next; nil if it is not known.
  public let nextStep: String?
  /// The error that caused this one; a `POSIXError` if the system failed to open, read or write a
  /// file.
  public let cause: (any Error)?
  /// The position in ``sql``, in bytes, of the token that SQLite reported; nil if it reported none.
  public private(set) var offset: Int?

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

extension DatabaseError {
  /// The message, the SQL on one line and the next step.
  public var description: String {
    var text = message
    if let sql {
      var line = sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      // Remove the semicolons at the end, before the next step is appended.
      while line.last == ";" || line.last == " " { line.removeLast() }
      text += " — in: " + (line.count > 240 ? line.prefix(240) + "…" : line)
    }
    if let nextStep { text += ". " + nextStep }
    return text
  }

  /// The error of a call that needs the file, which is not open.
  ///
  /// - Parameter reason: how it was closed.
  static func closed(_ reason: String, nextStep: String) -> DatabaseError {
    DatabaseError(.closed, "the database is \(reason)", nextStep: nextStep)
  }

  /// The same, of a call that had begun before.
  static var closedMeanwhile: DatabaseError {
    closed("suspended or closed", nextStep: "Resume it, or open it anew")
  }

  /// The error of `handle`'s last call, which returned `status`.
  ///
  /// - Parameters:
  ///   - path: the path of the file, for an error that concerns the file itself.
  ///   - isPreparing: whether a statement was being prepared, for which SQLite reads the schema.
  ///   - isInterrupted: whether the connection was interrupted during the call.
  static func sqlite(
    _ status: Int32, handle: OpaquePointer?, sql: String? = nil, path: String? = nil,
    isPreparing: Bool = false, isInterrupted: Bool = false
  ) -> DatabaseError {
    var code = ResultCode(rawValue: status)
    var message = String(cString: sqlite3_errstr(status))
    if let handle {
      let extended = ResultCode(rawValue: sqlite3_extended_errcode(handle))
      // The handle stores its *last* error: use it only if it has the same primary code.
      if extended.primary == code.primary {
        code = extended
        message = String(cString: sqlite3_errmsg(handle))
      }
    }
    // If its parser is interrupted in the declaration of a table-valued function, SQLite returns this code.
    if isInterrupted, code == .error {
      code = .interrupted
      message = String(cString: sqlite3_errstr(SQLITE_INTERRUPT))
    }
    // Asked for before anything else is prepared.
    let offset = handle.map { Int(sqlite3_error_offset($0)) }
    if code == .unfinishedJournal {
      message = "a program has ended in the middle of a transaction, and left its journal"
    }
    if let path { message += ": \(path)" }
    let cause = handle.flatMap { systemError(of: $0, code) }
    // SQLite has the same code for a schema that is damaged and for one whose syntax it does not know.
    let nextStep =
      isPreparing && .corrupt ~= code
      ? "If a newer SQLite than \(String(cString: sqlite3_libversion())) made its schema, use that one. "
        + "Else check the file with PRAGMA integrity_check, and restore it from a backup"
      : nextStep(for: code, cause)
    var error = DatabaseError(
      .sqlite, message, resultCode: code, sql: sql, nextStep: nextStep, cause: cause)
    error.offset = offset.flatMap { $0 < 0 ? nil : $0 }
    return error
  }

  /// The same error with the place where it happened before its message.
  package func located(_ place: String) -> DatabaseError {
    DatabaseError(
      code, "\(place): \(message)", resultCode: resultCode, sql: sql, nextStep: nextStep,
      cause: cause ?? self)
  }

  /// Whether a value can be the cause, as in a sum that overflows, rather than the file or its use.
  package var isAboutValues: Bool {
    [ResultCode.error, .tooBig, .mismatch].contains { $0 ~= resultCode }
  }

  /// The system error that caused the failure; nil if there is none.
  private static func systemError(of handle: OpaquePointer, _ code: ResultCode) -> POSIXError? {
    guard .cannotOpen ~= code || .inputOutput ~= code else { return nil }
    return POSIXErrorCode(rawValue: sqlite3_system_errno(handle)).map { POSIXError($0) }
  }

  /// Whether the file could not be opened because too many files are open.
  var isLackOfDescriptors: Bool {
    let code = (cause as? POSIXError)?.code
    return code == .EMFILE || code == .ENFILE
  }

  private static func nextStep(for code: ResultCode, _ cause: POSIXError?) -> String? {
    switch cause?.code {
    case .EMFILE?, .ENFILE?:
      return "Too many files are open: close some, or raise the limit (ulimit -n)"
    case .EACCES? where .cannotOpen ~= code, .EPERM? where .cannotOpen ~= code:
      return "Permission denied: check the permissions of the file and of its folder"
    default: return nextStep(for: code)
    }
  }

  private static func nextStep(for code: ResultCode) -> String? {
    switch code {
    case .busy:
      "Another connection holds a lock; try again, or wait longer (busyTimeout)"
    case .corrupt:
      "Check the file with PRAGMA integrity_check, and restore it from a backup"
    case .notADatabase:
      "Check the path: it may be another file, or an encrypted one"
    case .unfinishedJournal:
      "Open the file with a program that may write it: that undoes the transaction"
    case .readOnly:
      "Write inside write { … } of a database that is opened for writing, and check the permissions of the file"
    case .permission, .cannotOpen:
      "Check the path, and the permissions of the file and of its folder"
    case .full:
      "Free some space on the disk"
    default: nil
    }
  }
}

extension ResultCode {
  /// `SQLITE_READONLY_ROLLBACK`, which is a macro that Swift cannot read.
  fileprivate static let unfinishedJournal = ResultCode(rawValue: SQLITE_READONLY | 3 << 8)
}
