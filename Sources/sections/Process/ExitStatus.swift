import FetchedResults
import SQLiteStorage

/// How the tool ended, by the numbers of sysexits.h.
enum ExitStatus: Int32 {
  case success = 0
  case usage = 64
  case badData = 65
  case noDatabase = 66
  case internalError = 70
  case inputOutput = 74
  case busy = 75
  case noPermission = 77
  case interrupted = 130

  /// What an error means to whoever called the tool.
  init(_ error: any Error) {
    switch error {
    case let error as DatabaseError: self.init(error)
    case is FetchError: self = .badData
    case is UsageError: self = .usage
    case let error as InputError: self = error.status
    case let error as OutputError: self = error.isBrokenPipe ? .success : .inputOutput
    case is Interruption.Error: self = .interrupted
    default: self = .internalError
    }
  }

  private init(_ error: DatabaseError) {
    switch error.resultCode {
    case .ok, .error, .constraint, .mismatch, .schema, .tooBig, .range, .notAuthorized:
      self = .badData
    case .cannotOpen: self = .noDatabase
    case .busy, .locked: self = .busy
    case .permission, .readOnly: self = .noPermission
    case .corrupt, .notADatabase, .inputOutput, .full: self = .inputOutput
    case .interrupted: self = .interrupted
    default: self = .internalError
    }
  }
}
