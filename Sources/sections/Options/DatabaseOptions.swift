import ArgumentParser
import SQLiteStorage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Which database, and how long to wait for it.
struct DatabaseOptions: ParsableArguments {
  @Argument(help: "The database file.", completion: .file())
  var database: String

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How long to wait for another process to release its lock.", valueName: "seconds"))
  var timeout: Double = 5

  func validate() throws {
    // SQLite counts milliseconds in 32 bits.
    guard 0...2_000_000 ~= timeout else {
      throw ValidationError("--timeout must be a number of seconds, 0 to 2000000")
    }
  }

  /// Opens the file for one look at it: nothing in it or beside it is changed.
  func openForReading() throws -> Database {
    var configuration = configuration
    // The tool is done in a moment: a lock is cheaper than a copy.
    configuration.rollbackJournalSnapshots = .readLock
    return try .opened(at: database, access: .readOnly, configuration)
  }

  /// Opens the file to look at it for long: nothing in it or beside it is changed, and other processes
  /// can write.
  func openForWatching() throws -> Database {
    var configuration = configuration
    // Without it, the log of another process would grow for as long as this watches.
    configuration.copiesLongLogs = true
    return try .opened(at: database, access: .readOnly, configuration)
  }

  /// Opens the file to change its content.
  ///
  /// - Parameter isCreating: whether it is created where there is none.
  func openForWriting(creating isCreating: Bool = true) throws -> Database {
    try .opened(at: database, access: isCreating ? .readWriteCreate : .readWrite, configuration)
  }

  private var configuration: Database.Configuration {
    var configuration = Database.Configuration()
    configuration.busyTimeout = .seconds(timeout)
    // The journal mode is the owner's choice.
    configuration.usesWAL = false
    return configuration
  }
}

extension Database {
  /// A private store that ^C interrupts.
  static func temporary() throws -> Database {
    try Interruption.watch { try Database.inMemory() }
  }

  /// Opens a file that ^C interrupts, and that errors name.
  static func opened(
    at path: String, access: Connection.Access, _ configuration: Configuration
  ) throws -> Database {
    // SQLite has one code for this and for a file that is not there.
    guard systemAccess(path, R_OK) == 0 || errno != EACCES else {
      throw DatabaseError(
        .sqlite, "permission denied: \(path)", resultCode: .permission,
        nextStep: "Check the permissions of the file and of its folder")
    }
    do {
      return try Interruption.watch {
        try Database(path: path, access: access, configuration: configuration)
      }
    } catch let error as DatabaseError where error.sql != nil {
      // The SQL is not the caller's, and says less than the file does.
      throw DatabaseError(
        error.code, "\(error.message): \(path)", resultCode: error.resultCode,
        nextStep: error.nextStep, cause: error)
    }
  }
}

// Named apart, as the parameter of `opened` has the name of the function.
private func systemAccess(_ path: String, _ mode: Int32) -> Int32 { access(path, mode) }
