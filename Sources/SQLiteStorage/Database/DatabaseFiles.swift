internal import CLibrary
internal import CSQLite

/// The files that a snapshot is a version of: the main one, those that are attached, and their logs.
struct DatabaseFiles {
  /// How their versions are kept.
  let kind: Database.SnapshotKind
  /// `main`, and the schemas of the attached files, in the order of their attachment.
  private let schemas: [String]
  /// Why the touched rows cannot be known; nil if they can.
  let obstacle: Touched.Reason?
  /// The databases. A connection that is opened later must open the same files.
  private let databases: [DatabaseFile]
  /// The files that a commit or a checkpoint writes to.
  let watchedPaths: [String]
  /// The `-wal` and `-shm` files of a pinned file, as SQLite has them open. Those of other files come and go.
  private let logFiles: [LogFile]
  private let schemaVersionQueries: [String]
  /// What was there when `main` was opened, if nothing that is written later can be followed.
  private let origin: UnfollowedFile?

  /// Finds the files of `connection`, and reads from each, since SQLite opens its log only then.
  init(
    of connection: Connection, kind: Database.SnapshotKind, origin: UnfollowedFile? = nil
  ) throws {
    self.kind = kind
    self.origin = origin
    var schemas: [String] = []
    var databases: [DatabaseFile] = []
    for row in try connection.rows("SELECT name, file FROM pragma_database_list") {
      // Temporary tables and attached in-memory stores have no file, and belong to one connection.
      guard case .text(let name) = row["name"], case .text(let file) = row["file"], !file.isEmpty
      else { continue }
      let count = SQL(verbatim: "SELECT count(*) FROM \(name.quotedIdentifier).sqlite_schema")
      _ = try connection.value(Int.self, count)
      schemas.append(name)
      databases.append(DatabaseFile(schema: name, file: file, openBy: connection))
    }
    self.schemas = schemas
    self.databases = databases
    // Another process may put the file in WAL mode.
    watchedPaths =
      databases.flatMap { [$0.path + "-wal", $0.path] } + (origin?.paths ?? [])
    logFiles =
      kind == .pinned
      ? databases.flatMap { database in
        ["-wal", "-shm"].map {
          LogFile(schema: database.schema, suffix: $0, path: database.path + $0)
        }
      } : []
    schemaVersionQueries = schemas.map { "PRAGMA \($0.quotedIdentifier).schema_version" }
    obstacle =
      if try connection.hasAttachedFiles() { .hasAttachedFiles } else if kind != .pinned {
        .notInWALMode
      } else if try connection.value(String.self, "PRAGMA encoding") != "UTF-8" {
        .storesUTF16
      } else { nil }
  }

  /// The file of `main`.
  var main: SharedLog.File {
    SharedLog.File(path: databases[0].path, number: databases[0].number.map(UInt64.init))
  }

  /// Begins a transaction that sees the newest version. Rolls back the open one first.
  ///
  /// - Returns: the version of each schema, `main` first.
  func begin(on connection: Connection) throws -> [Int64] {
    if connection.isInTransaction { try connection.execute("ROLLBACK") }
    try connection.execute("BEGIN")
    // BEGIN alone pins nothing: the first read does. This read is the cheapest.
    return try schemaVersionQueries.map(connection.keptNumber)
  }

  /// The mark of the newest version.
  ///
  /// - Parameter monitor: nil if versions are not pinned.
  /// - Returns: nil if the header of the log cannot be read: it is half-written, and the next read
  ///   transaction recovers it.
  func mark(seenBy monitor: Connection?) -> VersionMark? {
    mark(monitor.flatMap { WALIndexHeader(of: $0) })
  }

  /// The same with the header of the log that was just read; nil if it cannot be read, or versions are not pinned.
  func mark(_ log: WALIndexHeader?) -> VersionMark? {
    switch kind {
    case .pinned: log.map { VersionMark(.log($0.version)) }
    case .released: VersionMark(.status(databases.flatMap(\.counters)))
    case .immutable: VersionMark(.status([]))
    }
  }

  /// The mark of the version that a connection sees in its transaction.
  ///
  /// - Returns: nil if the header of a log cannot be read at present.
  func mark(
    seenBy monitor: Connection?, and connection: Connection
  ) -> VersionMark? {
    guard kind == .released else { return mark(seenBy: monitor) }
    // In this order: what is written to a log after its status was read is not visible without another status.
    var mark = mark(nil)
    do {
      mark?.visible = try VisibleLogs(of: schemas, seenBy: connection)
    } catch {
      return nil
    }
    return mark
  }

  /// A file that is no longer at its path; nil if all are. Unlike a mark, this makes system calls.
  var lostFile: LostFile? {
    if origin?.hasChanged == true { return LostFile(schema: "main", isUnfollowed: true) }
    if let lost = databases.first(where: \.hasMoved) { return LostFile(schema: lost.schema) }
    // SQLite does not check its log files. The next connection would make new ones, and not see what
    // is written to the old ones.
    return logFiles.first(where: \.hasMoved).map { LostFile(schema: $0.schema, suffix: $0.suffix) }
  }
}

/// A file that is no longer at its path, or in whose place is another one.
struct LostFile {
  let schema: String
  /// What follows the name of the database: nothing, `-wal` or `-shm`.
  var suffix = ""
  /// Whether the file is at its path, but what is read is what it was before.
  var isUnfollowed = false

  /// - Parameter path: the path of `main` as the caller gave it.
  func error(path: String) -> DatabaseError {
    guard !isUnfollowed else {
      return DatabaseError(
        .fileReplaced, "the file has changed since it was opened: \(path)",
        nextStep: "Open the database anew")
    }
    let name = schema == "main" ? path + suffix : suffix.isEmpty ? schema : "\(suffix) of \(schema)"
    return DatabaseError(
      .fileReplaced, "the file was replaced or removed: \(name)",
      nextStep: suffix.isEmpty
        ? "Open the database anew; what was read before stays readable"
        : "Release the database, its snapshots and lists, and open it anew")
  }
}

// MARK: - Files that are not pinned

extension DatabaseFiles {
  /// The time until the next write to a file will change its mark.
  var timeUntilSettled: Duration {
    kind == .released ? databases.map(\.timeUntilSettled).max() ?? .zero : .zero
  }

  /// A file that the follower of a replica has not written completely; nil if there is none.
  var unfinished: String? {
    kind == .released ? databases.first(where: \.isUnfinished)?.path : nil
  }
}

/// A file that is read as it was when it was opened: as a copy, since only a program that may write can roll back its journal,
/// or make the WAL-index that it needs; or where it is, since nobody seems to write it. When somebody does, the file must be
/// opened anew.
struct UnfollowedFile {
  /// The database, its log and its journal.
  let paths: [String]
  private let status: [FileStatus?]

  /// - Parameter path: of a file that is about to be copied or opened.
  init(_ path: String) {
    paths = ["", "-wal", "-journal"].map { path + $0 }
    status = paths.map(FileStatus.filled)
  }

  /// Whether somebody has written since.
  var hasChanged: Bool { paths.map(FileStatus.filled) != status }
}

/// The path of a database file, and the number of the file that a connection has open there.
private struct DatabaseFile {
  let schema: String
  let path: String
  /// The number of the file in its file system; nil if it was no longer at its path. It may have been removed while another
  /// connection of this process still had it open, so that SQLite shares it.
  let number: ino_t?

  init(schema: String, file: String, openBy connection: Connection) {
    self.schema = schema
    path = file
    // In this order: a file that replaces the other one in between is not taken for it.
    let found = FileStatus(at: file)?.number
    number = connection.hasMoved(schema) ? nil : found
  }

  /// Whether the file is no longer at its path, or another one is there now.
  var hasMoved: Bool { number == nil || FileStatus(at: path)?.number != number }
}

/// The path of a `-wal` or `-shm` file, and the number of the file that was there when the database was opened.
private struct LogFile {
  let schema: String
  /// What follows the name of the database.
  let suffix: String
  let path: String
  /// The number of the file in its file system; nil if there was no file: a WAL-index need not be in one.
  private let number: ino_t?

  init(schema: String, suffix: String, path: String) {
    self.schema = schema
    self.suffix = suffix
    self.path = path
    number = FileStatus(at: path)?.number
  }

  var hasMoved: Bool { FileStatus(at: path)?.number != number }
}

// MARK: - A file whose versions are not pinned

extension DatabaseFile {
  /// Numbers that change with each write. The change counter in the file is not among them: a
  /// follower writes pages without it.
  var counters: [Int64] {
    let database = FileStatus(at: path)
    let log = FileStatus.filled(at: path + "-wal")
    return [database, log].flatMap { $0.map { [$0.modified, $0.size] } ?? [0, 0] }
  }

  var timeUntilSettled: Duration {
    [path, path + "-wal"].compactMap { FileStatus(at: $0)?.timeUntilSettled }.max() ?? .zero
  }

  /// Whether a follower has written pages since it last noted which transaction the file has. Until
  /// it continues, the file may have pages of two versions.
  var isUnfinished: Bool {
    guard let note = FileStatus(at: path + OpenedFile.followerSuffix),
      let file = FileStatus(at: path)
    else { return false }
    return file.modified > note.modified
  }
}

extension Connection {
  /// Checks that a schema is read with the log at its path. All connections of a process share the
  /// WAL-index that the first of them has opened, even if it was removed or the database was renamed
  /// since. Then it is not the index of the log that is there now.
  func checkLog(of schema: String) throws {
    guard let path = lostLogFile(of: schema) else { return }
    throw DatabaseError(
      .fileReplaced, "this process still uses a removed or replaced file: \(path)",
      nextStep: "Release the databases, snapshots and lists that were opened before")
  }

  func checkAttachedLogs() throws {
    let attached = try values(
      String.self,
      "SELECT name FROM pragma_database_list WHERE name NOT IN ('main', 'temp') AND file <> ''")
    for schema in attached {
      // SQLite opens the log of a file when it is read. With the index of another log, the read can fail.
      let count = SQL(verbatim: "SELECT count(*) FROM \(schema.quotedIdentifier).sqlite_schema")
      let read = Result { try value(Int.self, count) }
      try checkLog(of: schema)
      _ = try read.get()
    }
  }

  /// The path of the log or of the WAL-index of a schema that has been read, if it is not the file that
  /// SQLite uses; nil if it is, or if that is not known.
  private func lostLogFile(of schema: String) -> String? {
    guard let name = sqlite3_db_filename(handle, schema),
      let file = LoggedFile(handle: handle, schema: schema),
      (try? file.isInWALMode) == true,
      let index = WALIndex(handle: handle, schema: schema).flatMap({ WALIndexHeader($0) })
    else { return nil }
    let database = String(cString: name)
    // The system may not list the descriptors, or not all of them.
    if !Descriptors.isOpen(database + "-shm"), Descriptors.isOpen(database) {
      return database + "-shm"
    }
    // The header of the log has its salts since its first frame.
    guard index.frameCount > 0, (try? file.read(.log, 8, 16)) != index.version.salts else {
      return nil
    }
    return database + "-wal"
  }

  /// Whether the file of a schema is no longer at its path.
  ///
  /// Source: [SQLITE_FCNTL_HAS_MOVED](https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html).
  fileprivate func hasMoved(_ schema: String) -> Bool {
    var hasMoved: Int32 = 0
    // A file system without this control does not change the value.
    sqlite3_file_control(handle, schema, SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    return hasMoved != 0
  }

  /// Switches the writable attached files to WAL mode too. In any other mode a snapshot that has
  /// read from a file would make its writers wait.
  func useWALInAttachedFiles() throws {
    for row in try rows("SELECT name, file FROM pragma_database_list WHERE file <> ''") {
      guard case .text(let name) = row["name"], name != "main", name != "temp",
        sqlite3_db_readonly(handle, name) == 0
      else { continue }
      // Fails if another connection is using the file, which can be used without WAL mode too.
      _ = try? value(
        String.self, SQL(verbatim: "PRAGMA \(name.quotedIdentifier).journal_mode = WAL"))
    }
  }
}
