internal import CLibrary
internal import CSQLite
internal import SmallFoundation

/// A file opened for a ``Database``, and how the database reads and writes it.
struct OpenedFile {
  /// The path as the caller gave it, even if a copy is read instead.
  let path: String
  /// The absolute path of the file that is read, without symbolic links.
  let location: String
  let configuration: Database.Configuration
  let snapshotKind: Database.SnapshotKind
  let isWritable: Bool
  /// The file as it was when it was opened, if nothing that is written later can be followed; nil for a pipe, which ends,
  /// and if the caller says that the file is immutable.
  let origin: UnfollowedFile?
  /// Whether another program writes pages into the file, without a log.
  let isWrittenInPlace: Bool
  /// The connection that examined the file. It becomes the writer, or the first reader.
  let first: Connection
  /// Records the writes of `first`; nil if `first` does not become the writer.
  let capture: WriteCapture?
  let openReader: @Sendable () throws -> Connection
  /// Opens the connection that watches the file, and copies its log if the file is written.
  let openMonitor: @Sendable () throws -> Connection
  let interrupters: InterrupterRegistry
  let housekeeping: Housekeeping

  /// Whether the file is in a temporary folder, which is removed with the database.
  var isTemporary: Bool { housekeeping.hasFolder }

  /// Opens a file of the user.
  ///
  /// - Parameter interrupters: the registry to which its connections are added.
  init(
    path: String, access: Connection.Access, configuration: Database.Configuration,
    interrupters: InterrupterRegistry
  ) throws {
    try Descriptors.check(forOpening: path)
    let isNew = try OpenedFile.checkExists(path, access: access)
    if OpenedFile.isPipe(path) {
      guard access == .readOnly || access == .immutable else {
        throw DatabaseError(
          .sqlite, "a pipe can only be read: \(path)", resultCode: .readOnly,
          nextStep: "Name a file, or open it with access .readOnly")
      }
      try self.init(
        copyOf: path, as: path, configuration: configuration, interrupters: interrupters)
      return
    }
    // The log and the journal are beside the file, not beside a link to it.
    let file = isNew ? path : OpenedFile.resolved(path)
    do {
      self = try OpenedFile.whenLostLogIsClosed {
        try OpenedFile(
          served: file, as: path, access: access, configuration: configuration, isNew: isNew,
          interrupters: interrupters)
      }
    } catch let error as DatabaseError
      where access == .readOnly && !error.isLackOfDescriptors
      && (.cannotOpen ~= error.resultCode || .readOnly ~= error.resultCode)
      // To close a copied file would release all locks that this process has on it.
      && !Descriptors.isOpen(file)
    {
      // A file in WAL mode needs its -shm file, which cannot be made here. A file with an
      // unfinished transaction from a crash needs recovery.
      let origin = UnfollowedFile(file)
      if OpenedFile.isOnReadOnlyMedia(file), !OpenedFile.hasLog(file) {
        // It may be read-only for this process alone, as in a container.
        try self.init(
          served: file, as: path, access: .immutable, configuration: configuration, isNew: false,
          origin: origin, interrupters: interrupters)
      } else {
        try self.init(
          copyOf: file, as: path, origin: origin, configuration: configuration,
          interrupters: interrupters)
      }
    }
  }

  /// Makes an empty store in a temporary folder.
  ///
  /// - Parameter interrupters: the registry to which its connections are added.
  init(
    privateStoreWith configuration: Database.Configuration, interrupters: InterrupterRegistry
  ) throws {
    let folder = try TemporaryFolder()
    var configuration = configuration
    let prepare = configuration.prepareConnection
    configuration.prepareConnection = { connection in
      // The store does not outlive the process, so it need not survive a power loss.
      try connection.execute("PRAGMA synchronous = OFF")
      try prepare?(connection)
    }
    let file = folder.file("store.sqlite")
    try self.init(
      served: file, as: file, access: .readWriteCreate, configuration: configuration, isNew: true,
      folder: folder, interrupters: interrupters)
  }

  /// Opens a copy, in a temporary folder, of a file with its log or journal, or of what a pipe
  /// contains.
  private init(
    copyOf file: String, as path: String, origin: UnfollowedFile? = nil,
    configuration: Database.Configuration, interrupters: InterrupterRegistry
  ) throws {
    let folder = try TemporaryFolder()
    let copy = folder.file("copy.sqlite")
    for suffix in [""] + OpenedFile.logSuffixes
    where suffix.isEmpty || OpenedFile.exists(file + suffix) {
      guard access(file + suffix, R_OK) == 0 else {
        throw DatabaseError(
          .sqlite, "permission denied: \(path + suffix)", resultCode: .cannotOpen,
          nextStep: "Check the permissions of the file and of its folder",
          cause: POSIXError(.EACCES))
      }
      do {
        if OpenedFile.isPipe(file + suffix) {
          try OpenedFile.copyPipe(file + suffix, to: copy + suffix)
        } else {
          try FileManager.default.copyItem(atPath: file + suffix, toPath: copy + suffix)
        }
        // A copy keeps the permissions of the file, but SQLite must be able to write the copy.
        try FileManager.default.setAttributes(
          [.posixPermissions: 0o600], ofItemAtPath: copy + suffix)
      } catch {
        throw DatabaseError(
          .sqlite, "the file could not be copied: \(path + suffix)", resultCode: .inputOutput,
          nextStep: "Check that it can be read, and that TMPDIR has space for it", cause: error)
      }
    }
    guard origin?.hasChanged != true else {
      throw DatabaseError(
        .sqlite, "the file was written while it was copied to be read: \(path)", resultCode: .busy,
        nextStep: "Try again")
    }
    // Only a writable connection can roll back the journal of an unfinished transaction.
    _ = try Connection(path: copy).value(Int.self, "SELECT count(*) FROM sqlite_schema")
    try self.init(
      served: copy, as: path, access: .readOnly, configuration: configuration, isNew: false,
      folder: folder, origin: origin, interrupters: interrupters)
  }

  private init(
    served file: String, as path: String, access: Connection.Access,
    configuration: Database.Configuration, isNew: Bool, folder: TemporaryFolder? = nil,
    origin: UnfollowedFile? = nil, interrupters: InterrupterRegistry
  ) throws {
    self.path = path
    self.origin = origin
    isWritable = access == .readWrite || access == .readWriteCreate
    let configuration = configuration.resolved(isWritable: isWritable)
    self.configuration = configuration
    let hadLog = isNew || OpenedFile.exists(file + "-wal")
    let prepare = { @Sendable (connection: Connection) in
      try configuration.prepare(connection)
      interrupters.add(connection.interrupter)
    }
    // A reader or the monitor: neither writes.
    let connect = { @Sendable (file: String, access: Connection.Access) in
      try Descriptors.check(forOpening: file)
      let connection = try Connection(
        path: file, access: access, busyTimeout: configuration.busyTimeout)
      connection.leaveWriteLock()
      try prepare(connection)
      return connection
    }
    self.interrupters = interrupters
    first = try Connection(path: file, access: access, busyTimeout: configuration.busyTimeout)
    if !isWritable { first.leaveWriteLock() }
    guard !isWritable || !first.isReadOnly else {
      throw DatabaseError(
        .sqlite, "the file cannot be written: \(path)", resultCode: .readOnly,
        nextStep: "Check its permissions, or open it with access .readOnly")
    }
    capture = isWritable ? first.startCapture() : nil
    let mode = try OpenedFile.readFirst(
      first, prepare, usesWAL: isWritable ? configuration.usesWAL : nil)
    // In any journal mode: if a replication is continued, Litestream's follower leaves WAL mode.
    isWrittenInPlace = access == .readOnly && OpenedFile.isFollower(file)
    snapshotKind =
      try isWrittenInPlace ? .released : OpenedFile.snapshotKind(of: first, mode, access)
    // SnapshotKeeper makes the checkpoints, when no snapshot prevents them.
    if isWritable, snapshotKind == .pinned { try first.execute("PRAGMA wal_autocheckpoint = 0") }
    // The file exists now. The path is absolute since the process may change its working directory.
    let location = OpenedFile.resolved(file)
    self.location = location
    let readerAccess = access == .immutable ? access : .readOnly
    let mayCopyLog = access == .readOnly && mode == "wal" && configuration.copiesLongLogs
    let monitorAccess = isWritable ? .readWrite : readerAccess
    openReader = { try connect(location, readerAccess) }
    openMonitor = {
      guard mayCopyLog, let monitor = try? connect(location, .readWrite) else {
        return try connect(location, monitorAccess)
      }
      // This connection copies a long log, but must not remove a short log that it found.
      try monitor.keepLogWhenClosed()
      return monitor
    }
    let leavesLog = access == .readOnly && mode == "wal" && !hadLog
    housekeeping = Housekeeping(folder: folder, leftoversOf: leavesLog ? location : nil)
  }

  /// How the versions are kept of a file that only SQLite writes.
  private static func snapshotKind(
    of connection: Connection, _ journalMode: String, _ access: Connection.Access
  ) throws -> Database.SnapshotKind {
    if try connection.hasAttachedFiles() { return .released }
    if access == .immutable { return .immutable }
    // A file system without shared memory has no WAL-index. The header of an index cannot be read while another
    // process writes it.
    return journalMode == "wal" && connection.walIndex?.region(0) != nil ? .pinned : .released
  }

  /// Reads a file for the first time, and sets its journal mode.
  ///
  /// - Parameter usesWAL: whether the file gets a write-ahead log; nil if it is not written.
  /// - Returns: the journal mode.
  private static func readFirst(
    _ first: Connection, _ prepare: (Connection) throws -> Void, usesWAL: Bool?
  ) throws -> String {
    // If the opening fails, the connection must not copy a log that may be another one than it has read.
    try first.keepLogWhenClosed()
    let firstRead = Result {
      try prepare(first)
      // It fails if the file is not a database.
      _ = try first.value(Int.self, "SELECT count(*) FROM sqlite_schema")
      return try first.value(String.self, "PRAGMA journal_mode") ?? ""
    }
    // With the index of another log, the read can fail too.
    try first.checkLog(of: "main")
    var mode = try firstRead.get()
    try first.checkAttachedLogs()
    try first.keepLogWhenClosed(false)
    guard let usesWAL else { return mode }
    if usesWAL, mode != "wal" {
      mode = try first.value(String.self, "PRAGMA journal_mode = WAL") ?? mode
    }
    if mode == "wal", usesWAL { try first.useWALInAttachedFiles() }
    return mode
  }

  /// Opens a file. If this process still has a removed log of it open, waits a moment for that to be
  /// closed: the last reference to a snapshot may be released on another thread.
  private static func whenLostLogIsClosed(_ open: () throws -> OpenedFile) throws -> OpenedFile {
    let end = ContinuousClock.now + .milliseconds(500)
    while true {
      do {
        return try open()
      } catch let error as DatabaseError where error.code == .fileReplaced && .now < end {
        sqlite3_sleep(10)
      }
    }
  }

  /// Writes what a pipe contains, up to its end, to a new file.
  private static func copyPipe(_ pipe: String, to path: String) throws {
    func failure() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    guard let input = fopen(pipe, "re") else { throw failure() }
    defer { fclose(input) }
    guard let output = fopen(path, "wxe") else { throw failure() }
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    var isWritten = true
    while isWritten {
      let count = fread(&piece, 1, piece.count, input)
      if count == 0 { break }
      isWritten = fwrite(piece, 1, count, output) == count
    }
    // The end of the file is written when it is closed.
    guard fclose(output) == 0, isWritten, ferror(input) == 0 else { throw failure() }
  }

  /// Finds the mistakes that SQLite reports as "unable to open database file".
  ///
  /// - Returns: whether the file is about to be created.
  private static func checkExists(_ path: String, access: Connection.Access) throws -> Bool {
    try Connection.checkPath(path)
    var isFolder = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
      guard !isFolder else {
        throw DatabaseError(
          .sqlite, "it is a folder, not a database: \(path)", resultCode: .cannotOpen,
          nextStep: "Name the file in it")
      }
      return false
    }
    var status = stat()
    if stat(path, &status) != 0, errno == ELOOP {
      throw DatabaseError(
        .sqlite, "the symbolic links lead in a circle: \(path)", resultCode: .cannotOpen,
        nextStep: "Check where they lead")
    }
    guard access == .readWriteCreate else {
      throw DatabaseError(
        .sqlite, "there is no such file: \(path)", resultCode: .cannotOpen,
        nextStep: "Check the path")
    }
    return true
  }

  /// Whether there is a pipe at a path: it can be read once, and not searched.
  private static func isPipe(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }

  private static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: path)
  }

  /// The absolute path of an existing file, without symbolic links.
  private static func resolved(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Whether the file is written by the follower of a replica (`litestream restore -f`): it changes
  /// pages in place, even if the header of the file names WAL mode, and counts no changes.
  private static func isFollower(_ path: String) -> Bool {
    exists(path + followerSuffix) && FileStatus.filled(at: path + "-wal") == nil
  }

  /// The suffix of the file in which the follower of a replica notes the transaction that the
  /// database has.
  static let followerSuffix = "-txid"
  private static let logSuffixes = ["-wal", "-journal"]

  /// Whether the file has a write-ahead log or a rollback journal that is not empty.
  private static func hasLog(_ path: String) -> Bool {
    logSuffixes.contains { FileStatus.filled(at: path + $0) != nil }
  }

  private static func isOnReadOnlyMedia(_ path: String) -> Bool {
    var status = statvfs()
    return statvfs(path, &status) == 0 && status.f_flag & UInt(ST_RDONLY) != 0
  }
}
