import ArgumentParser
import SQLiteStorage

/// Which database, and how long to wait for it.
struct DatabaseOptions: ParsableArguments {
  @Argument(help: "The database file.", completion: .file())
  var database: String

  @Option(
    help: ArgumentHelp(
      "How long to wait for another program's lock, in seconds.", valueName: "seconds"))
  var timeout: Double = 5

  func validate() throws {
    guard timeout >= 0, timeout.isFinite else {
      throw ValidationError("--timeout takes a number of seconds, 0 or more")
    }
  }

  /// Opens the file for one look at it: nothing in it or beside it is changed.
  func openForReading() throws -> Database {
    var configuration = configuration
    configuration.usesWAL = false
    // The tool is done in a moment: a lock is cheaper than a copy.
    configuration.rollbackJournalSnapshots = .readLock
    return try open(.readOnly, configuration)
  }

  /// Opens the file to change it, creating it where there is none.
  func openForWriting() throws -> Database { try open(.readWriteCreate, configuration) }

  private var configuration: Database.Configuration {
    var configuration = Database.Configuration()
    configuration.busyTimeout = .seconds(timeout)
    return configuration
  }

  private func open(
    _ access: Connection.Access, _ configuration: Database.Configuration
  ) throws -> Database {
    let database = try Database(path: database, access: access, configuration: configuration)
    Interruption.watch(database)
    return database
  }
}
