internal import CFetchedResultsSQLite

/// A copy of a database in a temporary folder, which is removed with its connection.
enum PrivateCopy {
  /// Copies the version that `source` sees.
  ///
  /// - Returns: a read-only connection to the copy.
  static func make(
    of source: Connection, configuration: Database.Configuration
  ) throws -> Connection {
    let folder = try TemporaryFolder()
    let copy = try Connection(path: folder.file("copy.sqlite"), access: .readWriteCreate)
    copy.ownedFolder = folder
    // No other connection opens the copy, and it need not survive a crash.
    try copy.execute("PRAGMA journal_mode = MEMORY")
    try copy.execute("PRAGMA synchronous = OFF")
    try source.copy(to: copy)
    try configuration.prepare(copy)
    try copy.execute("PRAGMA query_only = ON")
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

  /// Copies the write-ahead log into the database file as far as readers allow, without waiting.
  ///
  /// - Returns: whether all of the log was copied. If not, for whatever reason, the log is still
  ///   complete and the next checkpoint copies it, so this is not an error.
  func checkpoint(_ schema: String = "main") -> Bool {
    var frames: Int32 = 0
    var copied: Int32 = 0
    let status = sqlite3_wal_checkpoint_v2(
      handle, schema, SQLITE_CHECKPOINT_PASSIVE, &frames, &copied)
    return status == SQLITE_OK && frames == copied
  }
}
