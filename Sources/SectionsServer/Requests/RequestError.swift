import FetchedResults
import RowQueries
import SQLiteStorage

/// A request that the server does not answer with content: an HTTP status, what is wrong, and the next
/// step.
struct RequestError: Error {
  let status: Int
  let message: String
  let nextStep: String
  /// The seconds after which the same request may succeed; nil if it will not.
  var retryAfter: Int?
  /// Where SQL that the client has typed is wrong: the number of UTF-16 units before that place; nil if it is not known.
  var place: Int?
  /// The methods that are answered at the address, for status 405.
  var allowed: [String] = []

  init(
    _ status: Int, _ message: String, nextStep: String, retryAfter: Int? = nil,
    allowed: [String] = [], place: Int? = nil
  ) {
    self.status = status
    self.message = message
    self.nextStep = nextStep
    self.retryAfter = retryAfter
    self.allowed = allowed
    self.place = place
  }

  /// What the answers of a server say.
  struct Terms: Sendable {
    /// How long a query may take.
    let queryTime: Duration
    /// Whether who asks may know where the file is. Others than the users of this machine may not.
    let namesFiles: Bool
  }

  /// The answer to a request that failed with another error.
  ///
  /// - Parameter sql: the SQL that the client has typed, if there is some.
  init(_ error: any Error, _ terms: Terms, typed sql: String? = nil) {
    switch error {
    case let error as RequestError:
      self = error
    case let error as ArgumentError:
      self.init(
        400, "\(error.option) \(error.message)",
        nextStep: "Write \(error.option)=COLUMN, or for example \(error.option)=COLUMN:desc")
    case let error as FetchError:
      self.init(400, error.message, nextStep: error.nextStep ?? "Change the request")
    case let error as DatabaseError where .interrupted ~= error.resultCode:
      self = .tooSlow(terms.queryTime)
    case let error as DatabaseError where error.code == .fileReplaced: self = .fileReplaced
    case let error as DatabaseError:
      let passes = [ResultCode.busy, .locked].contains { $0 ~= error.resultCode }
      // What the SQL of a view or of the request does, and will do again.
      let lasts =
        [.invalidArguments, .statementRefused].contains(error.code)
        || [ResultCode.error, .mismatch, .tooBig, .constraint, .notAuthorized, .range].contains {
          $0 ~= error.resultCode
        }
      self.init(
        passes ? 503 : lasts ? 400 : 500,
        // An error of no statement is one of a file.
        error.sql == nil && !lasts && !terms.namesFiles
          ? "the file of the database cannot be read" : error.message,
        nextStep: error.nextStep ?? (lasts ? "Change the request, or the source" : "Try again"),
        retryAfter: passes ? 2 : nil)
    case is CancellationError:
      self = .tooSlow(terms.queryTime)
    default:
      self.init(500, "\(error)", nextStep: "Try again")
    }
    if let sql { describe(error, typed: sql) }
  }

  /// Says what is to be done about SQL that the client has typed.
  private mutating func describe(_ error: any Error, typed sql: String) {
    if let error = error as? FetchError, error.code == .unstableFunction {
      self = RequestError(status, message, nextStep: "Write the value into the SQL")
    }
    guard let error = error as? DatabaseError else { return }
    if let offset = error.offset, error.sql?.exact == sql.exact {
      place = String(decoding: sql.utf8.prefix(offset), as: UTF8.self).utf16.count
    }
    let step: String? =
      if error.code == .invalidArguments {
        "Write the value into the SQL"
      } else if .tooBig ~= error.resultCode {
        "Leave out the columns with such long values, or use length() or substr()"
      } else if .outOfMemory ~= error.resultCode {
        "Write simpler SQL"
      } else {
        error.code == .sqlite && .error ~= error.resultCode ? "Change the SQL" : nil
      }
    guard let step else { return }
    // The same SQL would fail again.
    self = RequestError(400, message, nextStep: step, place: place)
  }

  /// The error of a query that takes too long. It would again: so it is not to be sent again by itself.
  static func tooSlow(_ time: Duration) -> RequestError {
    let seconds = time / .seconds(1)
    let text = Int(exactly: seconds).map { "\($0)" } ?? "\(seconds)"
    return RequestError(
      504, "the query took longer than \(text) s",
      nextStep: "Use fewer conditions or an index, or start the server with a longer --timeout")
  }

  /// The error of a limit: there are as many of something as may be.
  static func full(_ message: String, nextStep: String, retryAfter: Int) -> RequestError {
    RequestError(503, message, nextStep: nextStep, retryAfter: retryAfter)
  }

  static let serverEnds = RequestError(
    503, "the server ends", nextStep: "Start it again", retryAfter: 1)

  /// The error while a file that was replaced is still in use, so that the new one cannot be opened.
  static let fileReplaced = RequestError(
    503, "the file was replaced, and the new one cannot be read yet", nextStep: "Try again",
    retryAfter: 1)
}
