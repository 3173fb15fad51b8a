internal import CFetchedResultsSQLite

/// A connection to one database file.
///
/// It has one owner: SQLite is opened in its multi-thread mode, without locks of its own. A
/// ``Database`` owns all connections that it hands out, and a closure that receives one must not
/// keep it.
///
/// ```swift
/// let connection = try Connection(path: "library.sqlite", access: .readOnly)
/// let names = try connection.rows("SELECT name FROM artist ORDER BY name").map { $0["name"] }
/// ```
///
/// Not Sendable; ``interrupter`` is the part that may cross to another thread.
public final class Connection {
  /// What a connection may do to the file.
  public enum Access: Sendable {
    /// Read and write an existing file.
    case readWrite
    /// Read and write, creating the file where there is none.
    case readWriteCreate
    /// Read only.
    case readOnly
    /// Read a file that nobody can change while it is open, without any locks: one on read-only
    /// media. If it does change, answers are wrong.
    case immutable
  }

  /// The C handle: opened in `init`, closed in `deinit`, used by nobody else.
  let handle: OpaquePointer
  private var statements: [String: Statement] = [:]

  /// The path as it was given.
  public let path: String

  /// The temporary folder that the file is in, where it goes with the connection.
  var ownedFolder: TemporaryFolder?

  /// Notes what the connection writes, where it is the one that writes.
  private(set) var capture: WriteCapture?

  /// Stops what the connection is doing, from any thread.
  public let interrupter: Interrupter

  /// Opens a file.
  ///
  /// The connection is hardened for files of unknown origin: the schema is not trusted, so that
  /// views and triggers cannot call functions with side effects; the defensive flag is on; cell
  /// sizes are checked; extensions cannot be loaded.
  ///
  /// - Throws: `DatabaseError` of code `.sqlite`. A file that is not a database is opened without
  ///   complaint by SQLite, and found out by the first statement.
  public init(path: String, access: Access = .readWrite) throws {
    try Connection.checkPath(path)
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    switch access {
    case .readWrite: flags |= SQLITE_OPEN_READWRITE
    case .readWriteCreate: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    case .readOnly: flags |= SQLITE_OPEN_READONLY
    case .immutable: flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
    }
    var opened: OpaquePointer?
    let status = sqlite3_open_v2(
      Connection.fileName(path, isImmutable: access == .immutable), &opened, flags, nil)
    guard let opened, status == SQLITE_OK else {
      // SQLite makes a handle even when it cannot open the file: it carries the reason.
      defer { sqlite3_close_v2(opened) }
      throw DatabaseError.sqlite(status, handle: opened, path: path)
    }
    handle = opened
    self.path = path
    interrupter = Interrupter(handle: opened)
    try harden()
  }

  deinit {
    statements.removeAll()
    capture?.connectionWillClose()
    interrupter.invalidate()
    // v2 waits for statements that are still held somewhere, and closes after the last of them.
    sqlite3_close_v2(handle)
    // `ownedFolder` goes after this, when the file in it is closed.
  }

  /// Refuses the paths for which SQLite would open something else: a temporary file for the empty
  /// one, and what comes before a NUL.
  static func checkPath(_ path: String) throws {
    guard path.isEmpty || path.utf8.contains(0) else { return }
    throw DatabaseError(
      .sqlite, path.isEmpty ? "the path is empty" : "the path holds a NUL character: \(path)",
      resultCode: .cannotOpen, nextStep: "Give the path of a file")
  }

  /// The name that makes SQLite open exactly `path`, whatever characters are in it.
  private static func fileName(_ path: String, isImmutable: Bool) -> String {
    // A library built with SQLITE_USE_URI takes every name that begins with "file:" for a URI.
    let file = path.hasPrefix("file:") || path == ":memory:" ? "./" + path : path
    guard isImmutable else { return file }
    let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
    // What follows two slashes is taken for the name of a host: an empty one goes in front.
    var uri = file.hasPrefix("/") ? "file://" : "file:"
    for byte in file.utf8 {
      if unreserved.contains(byte) {
        uri.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let hex = String(byte, radix: 16, uppercase: true)
        uri += hex.count == 1 ? "%0" + hex : "%" + hex
      }
    }
    return uri + "?immutable=1"
  }

  private func harden() throws {
    for (option, enabled) in [
      (SQLITE_DBCONFIG_TRUSTED_SCHEMA, false), (SQLITE_DBCONFIG_DEFENSIVE, true),
      (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, false), (SQLITE_DBCONFIG_DQS_DML, false),
      (SQLITE_DBCONFIG_DQS_DDL, false),
    ] {
      try check(csqlite_db_config(handle, option, enabled ? 1 : 0))
    }
    try execute("PRAGMA cell_size_check = ON")
  }

  /// Leaves the write-ahead log as it is when this is the last connection that is closed.
  ///
  /// Source: [SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE](https://www.sqlite.org/c3ref/c_dbconfig_defensive.html).
  func keepLogWhenClosed() throws {
    try check(csqlite_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1))
  }

  /// How long to wait for a lock held by another connection before failing with `.busy`.
  public func setBusyTimeout(_ timeout: Duration) throws {
    let milliseconds = min(max(timeout / .milliseconds(1), 0), Double(Int32.max))
    try check(sqlite3_busy_timeout(handle, Int32(milliseconds)))
  }

  /// Begins to note what the connection writes, before anything is prepared on it.
  func startCapture(hook: PreupdateHook? = .ofLibrary) -> WriteCapture {
    let capture = WriteCapture(on: self, hook: hook)
    self.capture = capture
    return capture
  }

  func check(_ status: Int32, sql: String? = nil) throws {
    guard status == SQLITE_OK else {
      throw DatabaseError.sqlite(status, handle: handle, sql: sql)
    }
  }
}

// MARK: - State

extension Connection {
  /// Whether a transaction is open.
  public var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Whether the file can only be read: SQLite falls back to that where the file's permissions
  /// do not allow writing.
  package var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  /// The rowid of the last row inserted by this connection.
  public var lastInsertRowID: Int64 { sqlite3_last_insert_rowid(handle) }

  /// The number of rows that the last INSERT, UPDATE or DELETE changed itself.
  public var changeCount: Int { Int(sqlite3_changes64(handle)) }

  /// How many parameters a statement can have.
  package var parameterLimit: Int {
    Int(sqlite3_limit(handle, SQLITE_LIMIT_VARIABLE_NUMBER, -1))
  }

  /// SQLite's version, such as `3.40.1`.
  public static var sqliteVersion: String { String(cString: sqlite3_libversion()) }
}

// MARK: - Statements

extension Connection {
  /// Prepares the one statement in `sql`.
  ///
  /// - Throws: `DatabaseError` of code `.sqlite` where the SQL is wrong, and `.statementRefused`
  ///   where it holds no statement or more than one.
  public func prepare(_ sql: String) throws -> Statement {
    try withCharacters(of: sql) { start in
      var rest = start
      guard let statement = try prepareFirst(&rest) else {
        throw DatabaseError(.statementRefused, "the SQL holds no statement", sql: sql)
      }
      guard !Connection.holdsStatement(rest) else {
        throw DatabaseError(
          .statementRefused, "the SQL holds more than one statement", sql: sql,
          nextStep: "Give one statement at a time")
      }
      return statement
    }
  }

  /// A statement for `sql`, prepared once and kept for as long as the connection lives.
  ///
  /// It comes reset, with the values of its last run still bound. While a run of it is under way
  /// another one is made. A `PRAGMA` is prepared each time: most do their work while they are.
  public func cachedStatement(_ sql: String) throws -> Statement {
    if let statement = statements[sql], !statement.isBusy { return statement }
    let statement = try prepare(sql)
    // Wherever the word is, since a comment may stand in front of it; but `pragma_table_info(…)`
    // does its work when it is run.
    if sql.sqliteFolded.replacing("pragma_", with: "").contains("pragma") { return statement }
    if statements[sql] == nil, statements.count >= Connection.statementLimit {
      statements.removeAll()
    }
    statements[sql] = statement
    return statement
  }

  /// As ``cachedStatement(_:)``, also for a `PRAGMA`: for those that do their work when they run.
  func keptStatement(_ sql: String) throws -> Statement {
    if let statement = statements[sql], !statement.isBusy { return statement }
    let statement = try prepare(sql)
    statements[sql] = statement
    return statement
  }

  /// More different statements than an application has; beyond it the cache starts over.
  private static var statementLimit: Int { 256 }

  /// Runs every statement in `script`, which takes no parameters.
  public func execute(script: String) throws {
    try withCharacters(of: script) { start in
      var rest = start
      while let statement = try prepareFirst(&rest) { try statement.run() }
    }
  }

  /// Runs one statement with the values given in order.
  public func execute(_ sql: String, _ values: [Value] = []) throws {
    let statement = try cachedStatement(sql)
    try statement.bind(values)
    try statement.run()
  }

  /// Runs one statement, handing each row to `body`.
  public func query(
    _ sql: String, _ values: [Value] = [], _ body: (borrowing RowView) throws -> Void
  ) throws {
    let statement = try cachedStatement(sql)
    try statement.bind(values)
    try statement.forEachRow(body)
  }

  /// All rows of one statement, copied.
  public func rows(_ sql: String, _ values: [Value] = []) throws -> [Row] {
    var rows: [Row] = []
    try query(sql, values) { rows.append(Row($0)) }
    return rows
  }

  /// The first column of the first row; nil if it is `NULL`, or if there is no row.
  ///
  /// ```swift
  /// let total = try connection.value(Int.self, "SELECT sum(milliseconds) FROM track") ?? 0
  /// ```
  ///
  /// - Throws: `DatabaseError`, of code `.typeMismatch` if the value is of another type than `type`.
  public func value<T: ColumnValue>(
    _ type: T.Type = T.self, _ sql: String, _ values: [Value] = []
  ) throws -> T? {
    let statement = try cachedStatement(sql)
    try statement.bind(values)
    defer { statement.reset() }
    return try statement.step() ? try statement.currentRow.decode(T?.self, at: 0) : nil
  }

  /// Hands `sql` to `body` as C text.
  private func withCharacters<Result>(
    of sql: String, _ body: (UnsafePointer<CChar>) throws -> Result
  ) throws -> Result {
    guard !sql.utf8.contains(0) else {
      throw DatabaseError(
        .statementRefused, "the SQL holds a NUL character", nextStep: "Bind the text as a value")
    }
    return try sql.withCString(body)
  }

  /// Prepares the first statement of `sql` and moves on to what is behind it.
  ///
  /// - Returns: nil where there is only white space and comments.
  private func prepareFirst(_ sql: inout UnsafePointer<CChar>) throws -> Statement? {
    var pointer: OpaquePointer?
    var rest: UnsafePointer<CChar>?
    // Given a length, SQLite would copy all of the text for each statement of a script.
    let status = sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, &rest)
    guard status == SQLITE_OK else {
      throw DatabaseError.sqlite(status, handle: handle, sql: String(cString: sql))
    }
    if let rest { sql = rest }
    return pointer.map { Statement(owning: $0, capture: capture) }
  }

  /// Whether anything but white space and comments is in `sql`.
  ///
  /// It is not prepared to find out: some pragmas act while they are.
  private static func holdsStatement(_ sql: UnsafePointer<CChar>) -> Bool {
    var scanner = SQLScanner(String(cString: sql))
    return scanner.nextStatement() != nil
  }

  /// Ends every run that is under way and rolls back the transaction, where one is open.
  ///
  /// - Returns: whether one was.
  @discardableResult
  func comeToRest() throws -> Bool {
    resetStatements()
    guard isInTransaction else { return false }
    try execute("ROLLBACK")
    return true
  }

  /// Ends every run that is under way, as before giving up the transaction they read in.
  package func resetStatements() {
    var pointer = sqlite3_next_stmt(handle, nil)
    while let statement = pointer {
      if sqlite3_stmt_busy(statement) != 0 { sqlite3_reset(statement) }
      pointer = sqlite3_next_stmt(handle, statement)
    }
    capture?.statementDidRun()
  }
}
