#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif
#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A file opened for a ``Database``: what it is decides how it is served.
struct OpenedFile {
  let path: String
  let configuration: Database.Configuration
  let snapshotKind: Database.SnapshotKind
  let isWritable: Bool
  /// The connection that found out: it becomes the writer, or the first reader.
  let first: Connection
  let openReader: @Sendable () throws -> Connection
  let interrupters: InterrupterRegistry
  let housekeeping: Housekeeping

  /// Opens a file of the user's.
  init(path: String, access: Connection.Access, configuration: Database.Configuration) throws {
    let isNew = try OpenedFile.checkExists(path, access: access)
    do {
      try self.init(served: path, access: access, configuration: configuration, isNew: isNew)
    } catch let error as DatabaseError
      where access == .readOnly
      && (.cannotOpen ~= error.resultCode || .readOnly ~= error.resultCode)
    {
      // A file in WAL mode needs its -shm file, which cannot be made here.
      if OpenedFile.isOnReadOnlyMedia(path), !OpenedFile.hasLog(path) {
        try self.init(served: path, access: .immutable, configuration: configuration, isNew: false)
      } else {
        try self.init(copyOf: path, configuration: configuration)
      }
    }
  }

  /// Makes an empty store in a temporary folder.
  init(privateStoreWith configuration: Database.Configuration) throws {
    let folder = try TemporaryFolder()
    var configuration = configuration
    let prepare = configuration.prepareConnection
    configuration.prepareConnection = { connection in
      // It does not outlive the process, so it need not survive a power cut.
      try connection.execute("PRAGMA synchronous = OFF")
      try prepare?(connection)
    }
    try self.init(
      served: folder.file("store.sqlite"), access: .readWriteCreate,
      configuration: configuration, isNew: true, folder: folder)
  }

  /// Opens a copy of a file and its log, made in a temporary folder.
  private init(copyOf path: String, configuration: Database.Configuration) throws {
    let folder = try TemporaryFolder()
    let copy = folder.file("copy.sqlite")
    do {
      try FileManager.default.copyItem(atPath: path, toPath: copy)
      if OpenedFile.hasLog(path) {
        try FileManager.default.copyItem(atPath: path + "-wal", toPath: copy + "-wal")
      }
      // A copy keeps its permissions, but SQLite must be able to work with it.
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy)
    } catch {
      throw DatabaseError(
        .sqlite, "the file could not be read: \(path)", resultCode: .cannotOpen,
        nextStep: "Check that its permissions allow it", cause: error)
    }
    try self.init(
      served: copy, access: .readOnly, configuration: configuration, isNew: false, folder: folder)
  }

  private init(
    served path: String, access: Connection.Access, configuration: Database.Configuration,
    isNew: Bool, folder: TemporaryFolder? = nil
  ) throws {
    self.path = path
    self.configuration = configuration
    isWritable = access == .readWrite || access == .readWriteCreate
    let hadLog = isNew || OpenedFile.exists(path + "-wal")
    let interrupters = InterrupterRegistry()
    let connect = { @Sendable (access: Connection.Access) in
      let connection = try OpenedFile.connect(path, access: access, configuration: configuration)
      interrupters.add(connection.interrupter)
      return connection
    }
    self.interrupters = interrupters
    let first = try connect(access)
    // The first look at the file: here it turns out that it is not a database.
    var mode = try first.value(String.self, "PRAGMA journal_mode") ?? ""
    _ = try first.value(Int.self, "SELECT count(*) FROM sqlite_schema")
    if isWritable {
      guard !first.isReadOnly else {
        throw DatabaseError(
          .sqlite, "the file cannot be written: \(path)", resultCode: .readOnly,
          nextStep: "Check its permissions, or open it with access .readOnly")
      }
      if configuration.usesWAL, mode != "wal" {
        mode = try first.value(String.self, "PRAGMA journal_mode = WAL") ?? mode
      }
      // Checkpoints are made where no snapshot is in the way: see SnapshotKeeper.
      if mode == "wal" { try first.execute("PRAGMA wal_autocheckpoint = 0") }
    }
    self.first = first
    snapshotKind =
      switch (access, mode, configuration.rollbackJournalSnapshots) {
      case (.immutable, _, _): .immutable
      case (_, "wal", _): .readTransaction
      case (_, _, .privateCopy): .privateCopy
      case (_, _, .readLock): .readLock
      }
    let readerAccess = access == .immutable ? access : .readOnly
    openReader = { try connect(readerAccess) }
    housekeeping = Housekeeping(
      folder: folder, leftoversOf: !isWritable && mode == "wal" && !hadLog ? path : nil)
  }

  private static func connect(
    _ path: String, access: Connection.Access, configuration: Database.Configuration
  ) throws -> Connection {
    let connection = try Connection(path: path, access: access)
    try connection.setBusyTimeout(configuration.busyTimeout)
    try connection.execute(
      "PRAGMA foreign_keys = \(configuration.enforcesForeignKeys ? "ON" : "OFF")")
    for function in configuration.functions { try connection.register(function) }
    for collation in configuration.collations { try connection.register(collation) }
    try configuration.prepareConnection?(connection)
    return connection
  }

  /// Finds the mistakes that SQLite reports as "unable to open database file".
  ///
  /// - Returns: whether the file is about to be created.
  private static func checkExists(_ path: String, access: Connection.Access) throws -> Bool {
    var isFolder = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
      guard !isFolder else {
        throw DatabaseError(
          .sqlite, "it is a folder, not a database: \(path)", resultCode: .cannotOpen,
          nextStep: "Name the file in it")
      }
      return false
    }
    guard access == .readWriteCreate else {
      throw DatabaseError(
        .sqlite, "there is no such file: \(path)", resultCode: .cannotOpen,
        nextStep: "Check the path")
    }
    return true
  }

  private static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: path)
  }

  /// Whether a write-ahead log with something in it lies beside the file.
  private static func hasLog(_ path: String) -> Bool {
    var status = stat()
    return stat(path + "-wal", &status) == 0 && status.st_size > 0
  }

  private static func isOnReadOnlyMedia(_ path: String) -> Bool {
    var status = statvfs()
    return statvfs(path, &status) == 0 && status.f_flag & UInt(ST_RDONLY) != 0
  }
}

/// What remains to be done when a ``Database`` has closed its connections.
final class Housekeeping: Sendable {
  private let folder: TemporaryFolder?
  private let path: String?

  /// - Parameters:
  ///   - folder: a folder that goes with the database.
  ///   - path: a file in WAL mode that had no log and was only read, to be left like that.
  init(folder: TemporaryFolder?, leftoversOf path: String?) {
    self.folder = folder
    self.path = path
  }

  deinit {
    // A reader makes the -wal and -shm files of a WAL database but may not remove them. A
    // connection that may write removes them when it is the last, and changes nothing: there is
    // nothing in the log. Where it may not write they stay, as they do with any other reader.
    guard let path, let connection = try? Connection(path: path, access: .readWrite) else { return }
    _ = try? connection.value(Int.self, "SELECT count(*) FROM sqlite_schema")
  }
}
