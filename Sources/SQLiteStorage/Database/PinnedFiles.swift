internal import CSQLite

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The files that a snapshot is a version of.
struct PinnedFiles {
  /// Whether the versions have stamps: `main` is in WAL mode, with a WAL-index in shared memory.
  let isStamped: Bool
  private let isMainInWALMode: Bool
  /// The schemas of attached files in WAL mode, in the order of their attachment.
  let attached: [String]
  /// The schemas that are pinned when a transaction begins, `main` first. Pinning the others would
  /// make their writers wait, so they are pinned only when they are read.
  let pinnedSchemas: [String]
  /// The schemas of files without a stamp. Their version is known only by a counter.
  let counted: [String]
  /// The databases. A connection that is opened later must open the same files.
  private let databases: [PinnedFile]
  /// The databases whose status, and that of their logs, identifies the version, if private copies are
  /// made: no connection is open between two copies.
  private let copied: [PinnedFile]
  /// The files that a commit or a checkpoint writes to.
  let watchedPaths: [String]
  /// The `-wal` and `-shm` files of the pinned schemas, as SQLite has them open.
  private let logFiles: [PinnedFile]
  private let schemaVersionQueries: [String]

  /// Finds the files attached to `connection`, and reads from each, since SQLite opens its log only
  /// then.
  init(of connection: Connection, kind: Database.SnapshotKind) throws {
    isMainInWALMode = kind == .readTransaction
    var attached: [String] = []
    var counted: [String] = []
    var watchedPaths: [String] = []
    var logFiles: [PinnedFile] = []
    var databases: [PinnedFile] = []
    for row in try connection.rows("SELECT name, file FROM pragma_database_list") {
      // Temporary tables and attached in-memory stores have no file, and belong to one connection.
      guard case .text(let name) = row["name"], case .text(let file) = row["file"], !file.isEmpty
      else { continue }
      let schema = name.quotedIdentifier
      _ = try connection.value(
        Int.self, SQL(verbatim: "SELECT count(*) FROM \(schema).sqlite_schema"))
      let isInWALMode =
        try isMainInWALMode
        && (name == "main"
          || connection.value(String.self, SQL(verbatim: "PRAGMA \(schema).journal_mode")) == "wal")
      // Another process may put the file in WAL mode.
      watchedPaths += [file + "-wal", file]
      databases.append(PinnedFile(schema: name, file: file, suffix: ""))
      if isInWALMode {
        logFiles += ["-wal", "-shm"].map { PinnedFile(schema: name, file: file, suffix: $0) }
      }
      guard name != "main" else { continue }
      if isInWALMode { attached.append(name) } else { counted.append(name) }
    }
    self.attached = attached
    pinnedSchemas = ["main"] + attached
    schemaVersionQueries = pinnedSchemas.map { "PRAGMA \($0.quotedIdentifier).schema_version" }
    isStamped =
      isMainInWALMode && VersionStamp(of: connection.handle, attached: attached) != nil
    self.counted =
      isStamped ? counted : kind == .privateCopy ? [] : pinnedSchemas + counted
    self.databases = databases
    copied = kind == .privateCopy ? databases : []
    self.watchedPaths = watchedPaths
    self.logFiles = logFiles
  }

  /// Why the touched rows cannot be known; nil if they can.
  var obstacle: Touched.Reason? {
    guard isMainInWALMode else { return .notInWALMode }
    guard isStamped else { return .otherWriter }
    return counted.isEmpty ? nil : .attachedNotInWALMode
  }

  /// Whether a version is of attached files too. A private copy has only the main one.
  var holdsAttachedFiles: Bool { (attached + counted).contains { $0 != "main" } }

  /// Whether a write by this database's own writer is found only by looking.
  var needsLook: Bool { !isStamped || !counted.isEmpty }

  /// Begins a transaction that sees the newest version. Rolls back the open one first.
  ///
  /// - Returns: the version of each pinned schema.
  func begin(on connection: Connection) throws -> [Int64] {
    if connection.isInTransaction { try connection.execute("ROLLBACK") }
    try connection.execute("BEGIN")
    // BEGIN alone pins nothing: the first read does. This read is the cheapest.
    return try schemaVersionQueries.map(connection.keptNumber)
  }

  /// The mark of the newest version.
  ///
  /// - Parameter connection: nil if private copies are made.
  /// - Returns: nil if the header of a log cannot be read: it is half-written, and the next read
  ///   transaction recovers it.
  func mark(seenBy connection: Connection?) throws -> VersionMark? {
    guard let connection else {
      return VersionMark(stamp: nil, counters: copied.flatMap(\.counters))
    }
    var stamp: VersionStamp?
    if isStamped {
      stamp = VersionStamp(of: connection.handle, attached: attached)
      if stamp == nil { return nil }
    }
    return VersionMark(stamp: stamp, counters: try counted.map(connection.dataVersion))
  }

  /// A file that is no longer at its path; nil if all are. Unlike a mark, this makes system calls.
  ///
  /// - Returns: its schema, and its suffix after the name of the database: empty, `-wal` or `-shm`.
  func lostFile(seenBy connection: Connection?) -> (schema: String, suffix: String)? {
    if let connection, let schema = pinnedSchemas.first(where: connection.hasMoved) {
      return (schema, "")
    }
    // SQLite does not check its log files. The next connection would make new ones, and not see what
    // is written to the old ones.
    let lost = databases.first(where: \.hasMoved) ?? logFiles.first(where: \.hasMoved)
    return lost.map { ($0.schema, $0.suffix) }
  }
}

// MARK: - Files that are copied

extension PinnedFiles {
  /// The time until the next write to a copied file will change its mark.
  var timeUntilSettled: Duration { copied.map(\.timeUntilSettled).max() ?? .zero }

  /// A copied file that the follower of a replica has not written completely; nil if there is none.
  var unfinished: String? { copied.first(where: \.isUnfinished)?.path }
}

/// A file at the path where it was when the schemas were pinned.
private struct PinnedFile {
  let schema: String
  /// What follows the name of the database: nothing, `-wal` or `-shm`.
  let suffix: String
  let path: String
  /// The number of the file in its file system; nil if there is no file at the path. A WAL-index
  /// need not be in a file. Or the file was removed before, and another connection of this process
  /// still has it open, so that SQLite shares it.
  private let number: ino_t?

  init(schema: String, file: String, suffix: String) {
    self.schema = schema
    self.suffix = suffix
    path = file + suffix
    number = FileStatus(at: path)?.number
  }

  /// Whether the file is no longer at its path, or another one is there now. SQLite compares the
  /// main file in the same way.
  var hasMoved: Bool { FileStatus(at: path)?.number != number }
}

// MARK: - A file that is copied for each version

extension PinnedFile {
  /// Numbers that change with each write. The change counter in the file is not among them: a
  /// follower writes pages without it.
  var counters: [Int64] {
    [path, path + "-wal"].flatMap { path in
      FileStatus(at: path).map { [$0.modified, $0.size] } ?? [0, 0]
    }
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
      (try? file.read(.database, 2, 18)) == [2, 2],
      let index = WALIndexHeader(handle: handle, schema: schema)
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

  /// A number that changes with every commit of another connection to the file of a schema.
  ///
  /// Source: [PRAGMA data_version](https://www.sqlite.org/pragma.html#pragma_data_version).
  fileprivate func dataVersion(of schema: String) throws -> Int64 {
    try keptNumber("PRAGMA \(schema.quotedIdentifier).data_version")
  }
}
