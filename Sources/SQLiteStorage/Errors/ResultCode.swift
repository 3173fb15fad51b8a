internal import CSQLite

/// A result code of SQLite, primary or extended.
///
/// A primary code matches all of its extended ones in a `switch` or with `~=`, so that
/// `.constraint` also catches `SQLITE_CONSTRAINT_UNIQUE`:
///
/// ```swift
/// switch error.resultCode {
/// case .busy: retryLater()
/// case .constraint: reject()
/// default: throw error
/// }
/// ```
///
/// Source: [Result and Error Codes](https://www.sqlite.org/rescode.html).
public struct ResultCode: RawRepresentable, Hashable, Sendable {
  /// SQLite's number of the code.
  public let rawValue: Int32

  /// Makes a code from SQLite's number.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// The primary code: the low byte of an extended code.
  public var primary: ResultCode { ResultCode(rawValue: rawValue & 0xFF) }

  /// Whether `code` is `pattern`, or `pattern` is primary and `code` is one of its extended codes.
  public static func ~= (pattern: ResultCode, code: ResultCode) -> Bool {
    pattern == code || pattern == code.primary
  }

  /// Success.
  public static let ok = ResultCode(rawValue: SQLITE_OK)
  /// The SQL is wrong, or names an object that does not exist.
  public static let error = ResultCode(rawValue: SQLITE_ERROR)
  /// Permission denied.
  public static let permission = ResultCode(rawValue: SQLITE_PERM)
  /// A callback requested an abort.
  public static let abort = ResultCode(rawValue: SQLITE_ABORT)
  /// Another connection holds a lock.
  public static let busy = ResultCode(rawValue: SQLITE_BUSY)
  /// A table is locked by the same connection.
  public static let locked = ResultCode(rawValue: SQLITE_LOCKED)
  /// Out of memory.
  public static let outOfMemory = ResultCode(rawValue: SQLITE_NOMEM)
  /// A write to a read-only database.
  public static let readOnly = ResultCode(rawValue: SQLITE_READONLY)
  /// The operation was interrupted.
  public static let interrupted = ResultCode(rawValue: SQLITE_INTERRUPT)
  /// A read or write of the operating system failed.
  public static let inputOutput = ResultCode(rawValue: SQLITE_IOERR)
  /// The file is damaged.
  public static let corrupt = ResultCode(rawValue: SQLITE_CORRUPT)
  /// The disk is full, or the file has reached its size limit.
  public static let full = ResultCode(rawValue: SQLITE_FULL)
  /// The file cannot be opened.
  public static let cannotOpen = ResultCode(rawValue: SQLITE_CANTOPEN)
  /// The schema changed while the statement ran.
  public static let schema = ResultCode(rawValue: SQLITE_SCHEMA)
  /// A string, blob or row exceeds a limit.
  public static let tooBig = ResultCode(rawValue: SQLITE_TOOBIG)
  /// A constraint is violated.
  public static let constraint = ResultCode(rawValue: SQLITE_CONSTRAINT)
  /// A value has a type that the column does not accept.
  public static let mismatch = ResultCode(rawValue: SQLITE_MISMATCH)
  /// The library was used incorrectly.
  public static let misuse = ResultCode(rawValue: SQLITE_MISUSE)
  /// An authorizer denied the statement.
  public static let notAuthorized = ResultCode(rawValue: SQLITE_AUTH)
  /// A parameter number is out of range.
  public static let range = ResultCode(rawValue: SQLITE_RANGE)
  /// The file is not a database.
  public static let notADatabase = ResultCode(rawValue: SQLITE_NOTADB)
}

extension ResultCode: CustomStringConvertible {
  /// SQLite's text for the code, and its number.
  public var description: String {
    "\(String(cString: sqlite3_errstr(rawValue))) (\(rawValue))"
  }
}
