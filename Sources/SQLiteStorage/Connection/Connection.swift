internal import CSQLite

/// A connection to one database file.
///
/// A connection has one owner: SQLite is opened in multi-thread mode, in which a connection has no
/// locks. A ``Database`` owns all its connections, and a closure that receives one must not keep
/// it.
///
/// ```swift
/// let connection = try Connection(path: "library.sqlite", access: .readOnly)
/// let names = try connection.rows("SELECT name FROM artist ORDER BY name").map { $0["name"] }
/// ```
///
/// Not Sendable; only ``Database/interrupt()`` may reach it from another thread.
public final class Connection {
  /// What a connection may do to the file.
  public enum Access: Sendable {
    /// Read and write an existing file.
    case readWrite
    /// Read and write, and create the file if it does not exist.
    case readWriteCreate
    case readOnly
    /// Read without locks a file that cannot change while it is open, as on read-only media. If the
    /// file does change, results are wrong.
    case immutable
  }

  /// The C handle, opened in `init` and closed in `deinit`, and owned by this connection.
  let handle: OpaquePointer
  private var statements: [StatementText: Statement] = [:]

  private var foundFile: UnsafeMutablePointer<sqlite3_file>?
  /// The file of `main`, as SQLite has it open; nil if it has none. It is looked up once.
  var mainFile: UnsafeMutablePointer<sqlite3_file>? {
    if foundFile == nil {
      foundFile = openFile(SQLITE_FCNTL_FILE_POINTER, of: handle, schema: "main")
    }
    return foundFile
  }

  /// Counts what may have changed the schema.
  let schemaCounter = SchemaCounter()
  /// The closures that run in a transaction.
  let transactionScope = TransactionScope()
  let checks: StatementChecks
  var doubleQuotes: DoubleQuotes { checks.doubleQuotes }
  /// What was made of the schema: ``keptObject(for:)``.
  var keptObjects = KeptObjects()
  /// What a layer above has compiled for this connection, the latest first. Each of them notices by itself if the schema
  /// has changed since. They may hold statements, but not the connection.
  package var keptQueries: [AnyObject] = []

  /// The collations that were registered, by their folded names.
  package internal(set) var collations: [ExactText: CustomCollation] = [:]

  /// The path as the caller gave it.
  public let path: String

  /// The temporary folder of the file, if it is removed with the connection.
  var ownedFolder: TemporaryFolder?

  /// Whether no other connection uses the file, which is removed with this connection.
  package var isPrivateCopy: Bool { ownedFolder != nil }

  /// Records what the connection writes; nil if it is not the writer.
  var observer: (any StatementObserver)?

  /// Called with each SQL text before SQLite prepares it; nil if nobody counts. SQLite may take much longer to
  /// prepare a SELECT than to run it.
  package var preparing: ((String) -> Void)?

  package let interrupter: Interrupter

  /// Opens a file.
  ///
  /// The connection is hardened for files of unknown origin: views and triggers cannot call functions that the program
  /// registers or that have side effects; the defensive flag is on; cell sizes are checked; extensions cannot be
  /// loaded.
  ///
  /// - Parameter busyTimeout: how long a statement waits for another connection's lock before it throws an error with
  ///   the code `.busy`. ``setBusyTimeout(_:)`` changes it.
  /// - Throws: `DatabaseError` with code `.sqlite`. If the file is not a database, opening it
  ///   succeeds and the first statement fails.
  public init(path: String, access: Access = .readWrite, busyTimeout: Duration = .seconds(5)) throws
  {
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
      // If SQLite cannot open the file, it still makes a handle, which contains the error.
      defer { sqlite3_close_v2(opened) }
      throw DatabaseError.sqlite(status, handle: opened, path: path)
    }
    handle = opened
    checks = StatementChecks(DoubleQuotes(opened))
    self.path = path
    interrupter = Interrupter(handle: opened)
    try harden()
    try setBusyTimeout(busyTimeout)
    if access == .readOnly || access == .immutable { standInForUnknownCollations() }
  }

  /// Lets SELECTs have columns with collations of the schema that the program does not have. The connection must not
  /// write.
  func standInForUnknownCollations() {
    checks.unknownCollations = UnknownCollations(on: handle)
  }

  deinit {
    statements.removeAll()
    keptObjects = KeptObjects()
    keptQueries.removeAll()
    observer?.connectionWillClose()
    interrupter.invalidate()
    // v2 waits for statements that are still referenced, and closes after the last of them.
    sqlite3_close_v2(handle)
    // `ownedFolder` is released after this, when the file in it is closed.
  }

  /// Rejects the paths for which SQLite would open another file: for an empty path a temporary
  /// file, and for a path with a NUL the part before it.
  static func checkPath(_ path: String) throws {
    guard path.isEmpty || path.utf8.contains(0) else { return }
    throw DatabaseError(
      .sqlite, path.isEmpty ? "the path is empty" : "the path holds a NUL character: \(path)",
      resultCode: .cannotOpen, nextStep: "Give the path of a file")
  }

  /// The name for which SQLite opens exactly `path`, whatever characters it contains.
  private static func fileName(_ path: String, isImmutable: Bool) -> String {
    // A library built with SQLITE_USE_URI treats every name that begins with "file:" as a URI.
    let file = path.hasPrefix("file:") || path == ":memory:" ? "./" + path : path
    guard isImmutable else { return file }
    let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
    // The text after two slashes is the name of a host: insert an empty one.
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

  /// Keeps the write-ahead log unchanged, or no longer, if this is the last connection to be closed.
  ///
  /// Source: [SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE](https://www.sqlite.org/c3ref/c_dbconfig_defensive.html).
  func keepLogWhenClosed(_ isKept: Bool = true) throws {
    try check(csqlite_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, isKept ? 1 : 0))
  }

  /// Sets how long to wait for another connection's lock before failing with `.busy`.
  public func setBusyTimeout(_ timeout: Duration) throws {
    let milliseconds = min(max(timeout / .milliseconds(1), 0), Double(Int32.max))
    try check(sqlite3_busy_timeout(handle, Int32(milliseconds)))
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

  /// Whether the file is read-only: SQLite opens it so if its permissions do not allow writing.
  package var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  /// The rowid of the last row inserted by this connection.
  public var lastInsertRowID: Int64 { sqlite3_last_insert_rowid(handle) }

  /// The number of rows that the last INSERT, UPDATE or DELETE changed directly.
  public var changeCount: Int { Int(sqlite3_changes64(handle)) }

  /// The maximum number of parameters of a statement.
  package var parameterLimit: Int {
    Int(sqlite3_limit(handle, SQLITE_LIMIT_VARIABLE_NUMBER, -1))
  }

  /// The maximum number of columns of a result.
  package var columnLimit: Int { Int(sqlite3_limit(handle, SQLITE_LIMIT_COLUMN, -1)) }

  /// Limits what SQL can make, for SQL that is not the program's own: the bytes of a value or a row, above which a
  /// statement fails with `.tooBig`, and those of a pattern of `LIKE` and `GLOB`. To compare with a pattern takes as long
  /// as both lengths multiplied, and is not interrupted.
  ///
  /// ```swift
  /// configuration.prepareConnection = { $0.limitLengths(ofValue: 10_000_000, pattern: 200) }
  /// ```
  ///
  /// A limit above SQLite's own has no effect.
  public func limitLengths(ofValue value: Int, pattern: Int) {
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(clamping: value))
    sqlite3_limit(handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, Int32(clamping: pattern))
  }

  /// SQLite's version, such as `3.40.1`.
  public static var sqliteVersion: String { String(cString: sqlite3_libversion()) }
}

// MARK: - Statements

extension Connection {
  /// Prepares the single statement in `sql`, and binds its interpolated values.
  ///
  /// - Throws: `DatabaseError` with code `.sqlite` if the SQL is wrong, and `.statementRefused` if it
  ///   contains no statement or more than one.
  public func prepare(_ sql: SQL) throws -> Statement {
    let values = try sql.values(or: [])
    let statement = try prepare(sql.text)
    if !values.isEmpty { try statement.bind(values) }
    return statement
  }

  /// Prepares a statement that this package has composed. A literal is `SQL`, in which a value is bound.
  @_disfavoredOverload
  package func prepare(_ sql: String) throws -> Statement {
    try withCharacters(of: sql) { start in
      var rest = start
      guard let statement = try prepareFirst(&rest) else {
        throw DatabaseError(.statementRefused, "the SQL holds no statement", sql: sql)
      }
      guard !Connection.holdsStatement(rest) else {
        throw DatabaseError(
          .statementRefused, "the SQL holds more than one statement", sql: sql,
          nextStep: "Give one statement at a time; execute(script:) runs several")
      }
      return statement
    }
  }

  /// A statement for `sql`, which is prepared once and cached with the connection.
  ///
  /// The statement is reset, but the values of its last run are still bound. If a run of the cached statement is in
  /// progress, another statement is prepared. A `PRAGMA` is prepared on each call: some take effect when they are
  /// prepared.
  ///
  /// Interpolated values are bound.
  public func cachedStatement(_ sql: SQL) throws -> Statement {
    let values = try sql.values(or: [])
    let statement = try cachedStatement(sql.text)
    if !values.isEmpty { try statement.bind(values) }
    return statement
  }

  /// A cached statement that this package has composed.
  ///
  /// - Parameter keepsPragma: whether a `PRAGMA` is cached too: it takes effect when it is run.
  @_disfavoredOverload
  package func cachedStatement(_ sql: String, keepsPragma: Bool = false) throws -> Statement {
    try cachedStatement(StatementText(sql), keepsPragma: keepsPragma)
  }

  /// The same for SQL that is run often.
  package func cachedStatement(
    _ text: StatementText, keepsPragma: Bool = false
  ) throws -> Statement {
    if let statement = statements[text], !statement.isBusy { return statement }
    let statement = try prepare(text.sql)
    // Comments may precede the keyword.
    let lexer = SQLLexer(text.sql)
    let keyword = lexer.first { $0.kind == .word }.map(lexer.text)
    if keyword?.sqliteFolded == "pragma", !keepsPragma { return statement }
    if statements[text] == nil, statements.count >= Connection.statementLimit {
      statements.removeAll()
    }
    statements[text] = statement
    return statement
  }

  /// The maximum number of cached statements. Beyond it the cache is cleared.
  private static var statementLimit: Int { 256 }

  /// Runs every statement in `script`, which takes no parameters.
  public func execute(script: String) throws {
    try withCharacters(of: script) { start in
      var rest = start
      while let statement = try prepareFirst(&rest) { try statement.run() }
    }
  }

  /// Runs one statement.
  ///
  /// ```swift
  /// try connection.execute("UPDATE track SET rating = \(rating) WHERE id = \(id)")
  /// ```
  ///
  /// - Parameter values: the values for the `?` of SQL without interpolated values, in order.
  public func execute(_ sql: SQL, _ values: [Value] = []) throws {
    try execute(sql.text, try sql.values(or: values))
  }

  /// Runs one statement and calls `body` with each row.
  ///
  /// - Parameter values: as for ``execute(_:_:)``.
  public func query(
    _ sql: SQL, _ values: [Value] = [], _ body: (borrowing RowView) throws -> Void
  ) throws {
    let values = try sql.values(or: values)
    let statement = try cachedStatement(sql.text)
    try statement.bind(values)
    try statement.forEachRow(body)
  }

  /// Returns copies of all rows of one statement.
  ///
  /// ```swift
  /// let rows = try connection.rows("SELECT genre, count(*) AS n FROM track GROUP BY genre")
  /// let counts = try rows.map { try $0.decode(Int.self, "n") }
  /// ```
  ///
  /// - Parameter values: as for ``execute(_:_:)``.
  public func rows(_ sql: SQL, _ values: [Value] = []) throws -> [Row] {
    try rows(sql.text, try sql.values(or: values))
  }

  /// Returns the first column of the first row; nil if it is `NULL`, or if there is no row.
  ///
  /// ```swift
  /// let total = try connection.value(Int.self, "SELECT sum(milliseconds) FROM track") ?? 0
  /// ```
  ///
  /// - Parameter values: as for ``execute(_:_:)``.
  /// - Throws: `DatabaseError`, with code `.typeMismatch` if the value is of another type than
  ///   `type`.
  public func value<T: ColumnValue>(
    _ type: T.Type, _ sql: SQL, _ values: [Value] = []
  ) throws -> T? {
    try value(type, sql.text, try sql.values(or: values))
  }

  /// Returns the first column of each row.
  ///
  /// ```swift
  /// let genres = try connection.values(String.self, "SELECT DISTINCT genre FROM track")
  /// ```
  ///
  /// - Parameters:
  ///   - type: the type of the values; an optional one if they may be `NULL`.
  ///   - values: as for ``execute(_:_:)``.
  /// - Throws: the same as ``value(_:_:_:)``.
  public func values<T: ColumnValue>(
    _ type: T.Type, _ sql: SQL, _ values: [Value] = []
  ) throws -> [T] {
    var found: [T] = []
    try query(sql, values) { found.append(try $0.decode(T.self, at: 0)) }
    return found
  }

  private func withCharacters<Result>(
    of sql: String, _ body: (UnsafePointer<CChar>) throws -> Result
  ) throws -> Result {
    guard !sql.utf8.contains(0) else {
      throw DatabaseError(
        .statementRefused, "the SQL holds a NUL character", nextStep: "Bind the text as a value")
    }
    return try sql.withCString(body)
  }

  /// Prepares the first statement of `sql` and moves `sql` past it.
  ///
  /// - Returns: nil if there is only white space and comments.
  private func prepareFirst(_ sql: inout UnsafePointer<CChar>) throws -> Statement? {
    var pointer: OpaquePointer?
    var rest: UnsafePointer<CChar>?
    preparing?(String(cString: sql))
    func prepare() -> Int32 {
      // With a length, SQLite would copy all of the text for each statement of a script.
      sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, &rest)
    }
    let interrupts = interrupter.count
    let status = prepare()
    if status != SQLITE_OK {
      // The connection keeps the message of its last error only.
      let error = DatabaseError.sqlite(
        status, handle: handle, sql: String(cString: sql), isPreparing: true,
        isInterrupted: interrupter.count != interrupts)
      guard .error ~= error.resultCode, checks.mayRetry() else { throw error }
      statements.removeAll()
      guard prepare() == SQLITE_OK else { throw error }
    }
    if let rest { sql = rest }
    let statement = pointer.map {
      Statement(
        owning: $0, observer: observer, schemaCounter: schemaCounter,
        transactionScope: transactionScope, checker: checks, interrupter: interrupter)
    }
    if doubleQuotes.mayBeTexts, let statement { try doubleQuotes.check(statement.sql) }
    return statement
  }

  /// Whether `sql` contains anything but white space and comments.
  ///
  /// It is not prepared for this check: some pragmas take effect when they are prepared.
  private static func holdsStatement(_ sql: UnsafePointer<CChar>) -> Bool {
    var scanner = SQLScanner(String(cString: sql))
    return scanner.nextStatement() != nil
  }
}

// MARK: - Text that is not a literal

extension Connection {
  /// Not available: a value in composed text would become SQL.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: "write the SQL as a literal, in which \\(x) is bound, or SQL(verbatim: text)"
  )
  public func execute(_ sql: String) throws {}

  /// Not available, like ``execute(_:)``.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: "write the SQL as a literal, in which \\(x) is bound, or SQL(verbatim: text)"
  )
  public func rows(_ sql: String) throws -> [Row] { [] }
}

// MARK: - Text of this package

// The same for SQL that this package has composed as text. A literal is `SQL`, here too: in it a value is
// bound.
extension Connection {
  @_disfavoredOverload
  package func execute(_ sql: String, _ values: [Value] = []) throws {
    let statement = try cachedStatement(sql)
    try statement.bind(values)
    try statement.run()
  }

  @_disfavoredOverload
  package func rows(_ sql: String, _ values: [Value] = []) throws -> [Row] {
    var rows: [Row] = []
    try query(SQL(verbatim: sql, values)) { rows.append(Row($0)) }
    return rows
  }

  @_disfavoredOverload
  package func value<T: ColumnValue>(
    _ type: T.Type = T.self, _ sql: String, _ values: [Value] = []
  ) throws -> T? {
    let statement = try cachedStatement(sql)
    try statement.bind(values)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    let value = try statement.currentRow.decode(T?.self, at: 0)
    // A statement that writes commits when it ends. Only the last step throws the error of that.
    if !statement.isReadOnly { try statement.run() }
    return value
  }
}
