import CLibrary
import FetchedResults
import Foundation
import RowQueries
import SQLiteStorage
import SectionsServer

/// The exit status of the tool, with the numbers of sysexits.h.
enum ExitStatus: Int32, CaseIterable {
  case success = 0
  case usage = 64
  case badData = 65
  case noDatabase = 66
  case internalError = 70
  case inputOutput = 74
  case busy = 75
  case noPermission = 77
  /// Ended by SIGHUP, SIGINT or SIGTERM: 128 plus the number of the signal.
  case hungUp = 129
  case interrupted = 130
  case terminated = 143

  init(_ error: any Error) {
    switch error {
    case let error as DatabaseError: self.init(error)
    case let error as FetchError: self = error.isDamage ? .inputOutput : .badData
    case let error as ToolError: self = error.status
    case is ArgumentError: self = .usage
    case is ServerError: self = .inputOutput
    case let error as OutputError: self = error.isBrokenPipe ? .success : .inputOutput
    case is Interruption.Error: self = Interruption.status
    default: self = .internalError
    }
  }

  private init(_ error: DatabaseError) {
    switch error.resultCode {
    case .ok, .error, .constraint, .mismatch, .schema, .tooBig, .range, .notAuthorized:
      self = .badData
    case .cannotOpen:
      self =
        switch error.systemError {
        case .EACCES?, .EPERM?: .noPermission
        case .EMFILE?, .ENFILE?: .inputOutput
        default: .noDatabase
        }
    case .busy, .locked: self = .busy
    case .permission, .readOnly: self = .noPermission
    case .corrupt, .notADatabase, .inputOutput, .full: self = .inputOutput
    case .interrupted: self = Interruption.status
    default: self = .internalError
    }
  }
}

extension FetchError {
  /// Whether the file must be damaged.
  fileprivate var isDamage: Bool { [.vanishedRow, .damagedKey].contains(code) }
}

extension DatabaseError {
  /// The system's error that caused this one; nil if there is none.
  fileprivate var systemError: POSIXErrorCode? { (cause as? POSIXError)?.code }
}

/// An error that the tool finds itself: in its arguments, or in a file that is not the database.
struct ToolError: Error, CustomStringConvertible {
  let description: String
  let status: ExitStatus

  init(_ description: String, _ status: ExitStatus = .usage) {
    self.description = description
    self.status = status
  }
}

extension DatabaseError {
  /// The description. A next step about the library's API is replaced by one for the command line.
  /// SQL is omitted if it is not the cause.
  var commandLineDescription: String {
    var step = nextStep
    switch resultCode {
    case .busy: step = "Another program holds a lock; try again, or wait longer with --timeout"
    case .readOnly: step = "Check the permissions of the file and of its folder"
    default: break
    }
    if let parameter = cause as? MissingParameter {
      step =
        parameter.name.map { "Add -p \($0)=VALUE" }
        ?? "Write :name in place of the ?, and add -p name=VALUE"
    }
    let isAboutFile = [
      ResultCode.corrupt, .notADatabase, .inputOutput, .full, .busy, .readOnly, .cannotOpen,
    ].contains { $0 ~= resultCode }
    // A parameter is named in the message, and the SQL contains more than the caller's part.
    let hidesSQL = isAboutFile || code == .invalidArguments
    return DatabaseError(
      code, message, resultCode: resultCode, sql: hidesSQL ? nil : sql, nextStep: step
    ).description
  }
}

extension Error {
  /// The error with its place before the message, if it is one of a source or its options.
  func located(in place: String) -> any Error {
    switch self {
    case let error as FetchError:
      return FetchError(error.code, "\(place): \(error.message)", nextStep: error.nextStep)
    case let error as DatabaseError: return error.located(place)
    case var error as ArgumentError:
      error.place = place
      return error
    default: return self
    }
  }
}
