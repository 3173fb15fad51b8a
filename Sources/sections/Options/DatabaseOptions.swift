import ArgumentParser
import CLibrary
import SQLiteStorage

/// How long to wait for the locks of a database.
struct LockOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      How many seconds to wait for another process to release its lock; 0 does not wait. For \
      serve, also how long a query may take.
      """,
      valueName: "seconds"))
  var timeout: Double = 5

  func validate() throws {
    // SQLite counts milliseconds in 32 bits.
    guard 0...2_000_000 ~= timeout else {
      throw ValidationError("--timeout must be a number of seconds, 0 to 2000000")
    }
  }
}

/// The database, and how long to wait for its locks.
struct DatabaseOptions: ParsableArguments {
  @Argument(help: "The database file.", completion: .file())
  var database: String

  @OptionGroup var lock: LockOptions

  var timeout: Double { lock.timeout }

  init() {}

  init(_ database: String, _ lock: LockOptions) {
    self.database = database
    self.lock = lock
  }

  /// Opens the file for a short read. Neither it nor the files beside it are changed.
  func openForReading() throws -> Database {
    try .opened(at: database, access: .readOnly, configuration)
  }

  /// Opens the file to read it for a long time. Neither it nor the files beside it are changed, and
  /// other processes can write.
  ///
  /// - Parameter packedSizeLimit: the number of bytes that the rows of one list may take in memory; nil for no
  ///   limit.
  func openForWatching(
    packedSizeLimit: Int? = nil, prepare: (@Sendable (Connection) throws -> Void)? = nil
  ) throws -> Database {
    var configuration = configuration
    configuration.packedSizeLimit = packedSizeLimit
    configuration.prepareConnection = prepare
    // Without it, the log of another process would grow as long as the tool watches.
    configuration.copiesLongLogs = true
    return try .opened(at: database, access: .readOnly, configuration)
  }

  /// Opens the file to change its content.
  ///
  /// - Parameter isCreating: whether it is created if it does not exist.
  func openForWriting(creating isCreating: Bool = true) throws -> Database {
    try .opened(at: database, access: isCreating ? .readWriteCreate : .readWrite, configuration)
  }

  private var configuration: Database.Configuration {
    var configuration = Database.Configuration()
    configuration.busyTimeout = .seconds(timeout)
    // The owner of the file chooses the journal mode.
    configuration.usesWAL = false
    // It may come from anywhere.
    configuration.checksCellSizes = true
    return configuration
  }
}

extension Database {
  /// A private store whose statements `^C` interrupts.
  static func temporary() throws -> Database {
    try Interruption.watch { try Database.inMemory() }
  }

  /// Opens a file whose statements `^C` interrupts. Errors name the file.
  static func opened(
    at path: String, access: Connection.Access, _ configuration: Configuration
  ) throws -> Database {
    guard !path.hasPrefix("file:") || systemAccess(path, F_OK) == 0 else {
      throw DatabaseError(
        .sqlite, "\(path) is a URI, and a database is named by its path", resultCode: .cannotOpen,
        nextStep: "Give the path alone. --timeout and the command say how the file is opened")
    }
    // SQLite has the same code for a file that does not exist.
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
      // The SQL is not the caller's, and less useful than the path.
      throw DatabaseError(
        error.code, "\(error.message): \(path)", resultCode: error.resultCode,
        nextStep: error.nextStep, cause: error)
    }
  }
}

// With another name, as the parameter of `opened` has the name of the function.
private func systemAccess(_ path: String, _ mode: Int32) -> Int32 { access(path, mode) }
