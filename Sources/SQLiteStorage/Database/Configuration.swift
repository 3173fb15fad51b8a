internal import CSQLite

extension Database {
  /// The options with which a database is opened.
  public struct Configuration: Sendable {
    /// How long to wait for another connection's lock before failing with `.busy`.
    public var busyTimeout: Duration = .seconds(5)

    /// Whether foreign keys are enforced.
    public var enforcesForeignKeys = true

    /// Whether a writable file and its writable attached files are switched to WAL mode, in which
    /// readers and the writer do not block each other.
    public var usesWAL = true

    /// The length of the write-ahead log, in frames, before which it is copied into the database file: at three
    /// quarters of it. The default is the length at which SQLite copies the log of each connection that writes.
    public var checkpointThreshold = 1_000

    /// Whether a database opened for reading copies the write-ahead log into the database file shortly before the
    /// log is as long as ``checkpointThreshold``.
    ///
    /// The content does not change. If it is false, and only readers observe a file that other processes write, the log
    /// grows until the versions that are read become private copies: *Documentation/WriteAheadLog.md* says when.
    public var copiesLongLogs = false

    /// The interval at which an observed database is checked for commits of other connections, if
    /// the system does not report file writes; nil for never. If the system does report them, the
    /// interval is five times as long, and the check is whether the files are still at their paths.
    public var pollInterval: Duration? = .milliseconds(200)

    /// How long reads rely on the files that were last found at their paths, so that not each of many reads in a row asks the
    /// system for them. Zero to ask before each read.
    ///
    /// A read notices that much later that a file was removed or replaced. Until then it sees the file that was there. A write
    /// always asks first, and so does each new connection.
    public var fileCheckInterval: Duration = .milliseconds(20)

    /// Whether SQLite checks the sizes of all cells of each page that it loads, so that a damaged page is an error and not
    /// a wrong row. Nil to check files that are opened for reading, which may come from anywhere, and not those that the
    /// program writes itself.
    ///
    /// The check takes up to a fifth of the instructions of a list's step, depending on how many pages it loads.
    ///
    /// Source: [PRAGMA cell_size_check](https://www.sqlite.org/pragma.html#pragma_cell_size_check), which is off in SQLite
    /// itself.
    public var checksCellSizes: Bool?

    /// The number of bytes that the rows of one list may take which must be kept in memory; nil for no limit.
    ///
    /// The rows of some views and SELECTs are packed in memory, as `sections explain` shows, since SQLite would read many
    /// of them to find one again. A fetch or a refresh with more bytes fails.
    public var packedSizeLimit: Int?

    /// Functions that SQL may call.
    public var functions: [ScalarFunction] = []

    /// Collations that SQL may use.
    public var collations: [CustomCollation] = []

    /// Called with each new connection after the options above are applied. Use it for `ATTACH` and
    /// `PRAGMA`.
    public var prepareConnection: (@Sendable (Connection) throws -> Void)?

    /// Makes a configuration with the defaults above.
    public init() {}
  }

  /// How the snapshots of a file are made, which depends on the file, its location and what is attached to it.
  public enum SnapshotKind: String, Sendable {
    /// A read transaction on a file in WAL mode sees the version: it takes microseconds and blocks no connection.
    case pinned
    /// Only the newest version can be read, in a short transaction for each read. Of a list, digests are kept, by which
    /// the rows are found that differ in the next version; the old rows cannot be read. For a file in rollback-journal
    /// mode, where a reader blocks writers; for one that another program writes in place, as the follower of a replica; and
    /// for a database with attached files, whose version no single number identifies.
    case released
    /// The file itself: it is on read-only media. If it changes all the same, it must be opened anew.
    case immutable
  }
}

extension Database.Configuration {
  /// The configuration of one file, in which nothing depends on how it is opened.
  func resolved(isWritable: Bool) -> Database.Configuration {
    var configuration = self
    configuration.checksCellSizes = checksCellSizes ?? !isWritable
    return configuration
  }

  /// Applies the configuration to a new connection, which was opened with its ``busyTimeout``.
  func prepare(_ connection: Connection) throws {
    if checksCellSizes == false { try connection.execute("PRAGMA cell_size_check = OFF") }
    try connection.execute(
      SQL(verbatim: "PRAGMA foreign_keys = \(enforcesForeignKeys ? "ON" : "OFF")"))
    for function in functions { try connection.register(function) }
    for collation in collations { try connection.register(collation) }
    guard let prepareConnection else { return }
    try prepareConnection(connection)
    // Columns are found by the names that SQLite gives them by default.
    try connection.execute("PRAGMA short_column_names = ON")
    try connection.execute("PRAGMA full_column_names = OFF")
  }

  /// Copies the version that `source` sees to a file in a temporary folder, which is removed with
  /// the connection to it.
  ///
  /// - Parameter version: the header of the log that the version has; nil if it is not known exactly. With it, the pages are
  ///   copied as they are, if they can be read; else through SQLite's backup API.
  /// - Returns: a read-only connection to the copy.
  func privateCopy(of source: Connection, at version: WALHeader?) throws -> Connection {
    let folder = try TemporaryFolder()
    let path = folder.file("copy.sqlite")
    let isWritten = try version.map { try PageSource.write(source, at: $0, to: path) } ?? false
    if !isWritten {
      let copy = try Connection(path: path, access: .readWriteCreate)
      // It need not survive a crash.
      try copy.execute("PRAGMA synchronous = OFF")
      try source.copy(to: copy)
      // SQLite gives each copy the version 1. What is kept by the version of a schema would be that of another one.
      try copy.setSchemaVersion(source.schemaVersion(of: "main"))
    }
    let copy = try Connection(path: path, access: .immutable)
    copy.ownedFolder = folder
    try prepare(copy)
    // The version is one of `main`. Other files must not be open when the database is suspended.
    for schema in try copy.schemaNames() where schema != "main" && schema != "temp" {
      try copy.execute(SQL(verbatim: "DETACH \(schema.quotedIdentifier)"))
    }
    try copy.execute("BEGIN")
    return copy
  }
}

extension Connection {
  /// Copies the whole database with SQLite's backup API.
  package func copy(to destination: Connection) throws {
    guard let backup = sqlite3_backup_init(destination.handle, "main", handle, "main") else {
      throw DatabaseError.sqlite(
        sqlite3_errcode(destination.handle), handle: destination.handle, path: destination.path)
    }
    let step = sqlite3_backup_step(backup, -1)
    let finish = sqlite3_backup_finish(backup)
    guard step == SQLITE_DONE, finish == SQLITE_OK else {
      throw DatabaseError.sqlite(
        finish == SQLITE_OK ? step : finish, handle: destination.handle, path: path)
    }
  }
}
