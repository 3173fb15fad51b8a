internal import CSQLite

/// A prepared statement: SQL that is parsed once and run any number of times.
///
/// ```swift
/// let statement = try connection.prepare("SELECT name FROM track WHERE rating > ?")
/// try statement.bind([.integer(3)])
/// try statement.forEachRow { row in
///   print(try row.decode(String.self, at: 0))
/// }
/// ```
///
/// Not Sendable: it belongs to the owner of its ``Connection``.
public final class Statement {
  /// The C statement, owned by this object and finalized in `deinit`.
  let pointer: OpaquePointer

  /// The names of the result columns, in order; empty for a statement that returns no rows.
  ///
  /// A change of the schema can change the names (`SELECT *`). SQLite then prepares the statement
  /// again at its next run, and the names are correct from the first row on.
  public var columnNames: ColumnNames {
    // Read on request: most rows are read without their names.
    if age != latestColumnNamesAge {
      latestColumnNames = ColumnNames(ofStatement: pointer)
      latestColumnNamesAge = age
    }
    return latestColumnNames
  }

  /// How many times SQLite has prepared the statement again.
  package var age: Int32 { sqlite3_stmt_status(pointer, SQLITE_STMTSTATUS_REPREPARE, 0) }
  private var latestColumnNames = ColumnNames([])
  /// How many times SQLite had prepared the statement again when the names were read; -1 if they were not.
  private var latestColumnNamesAge: Int32 = -1

  /// Notified after each call that may commit.
  private let observer: (any StatementObserver)?

  /// Counts each run that may change the schema; nil if no run of this statement does.
  private let schemaCounter: SchemaCounter?
  let schemaEffect: SchemaEffect
  private let transactionScope: TransactionScope
  private let checker: any StatementChecker
  private let interrupter: Interrupter
  /// How many times SQLite had prepared the statement again when its quotes were checked.
  var checkedAge: Int32 = 0
  /// Whether the current run has returned a row.
  private var hasRow = false

  init(
    owning pointer: OpaquePointer, observer: (any StatementObserver)? = nil,
    schemaCounter: SchemaCounter, transactionScope: TransactionScope,
    checker: any StatementChecker, interrupter: Interrupter
  ) {
    self.pointer = pointer
    self.checker = checker
    self.interrupter = interrupter
    self.observer = observer
    self.transactionScope = transactionScope
    schemaEffect = sqlite3_sql(pointer).map { SchemaEffect($0) } ?? .any
    self.schemaCounter = schemaEffect == .none ? nil : schemaCounter
  }

  deinit {
    sqlite3_finalize(pointer)
    observer?.statementDidRun()
  }

  /// The SQL of the statement, with its parameters and without their values.
  public var sql: String { String(cString: sqlite3_sql(pointer)) }

  /// Whether the statement makes no direct change to the database file.
  public var isReadOnly: Bool { sqlite3_stmt_readonly(pointer) != 0 }

  /// Whether a run has begun and has neither ended nor been reset.
  package var isBusy: Bool { sqlite3_stmt_busy(pointer) != 0 }

  /// Moves to the next row. Returns false and resets the statement at the end.
  ///
  /// - Throws: `DatabaseError`; in a closure that runs in a transaction with code `.statementRefused` if the statement
  ///   would end it, and with `.abort` if SQLite has rolled it back after an earlier error.
  @discardableResult
  public func step() throws -> Bool {
    if let error = transactionScope.earlyEnd { throw error }
    if schemaEffect == .end, transactionScope.isOpen { throw transactionScope.refusal(of: sql) }
    let interrupts = interrupter.count
    let status = schemaCounter == nil ? sqlite3_step(pointer) : stepCounting()
    observer?.statementDidRun()
    if checker.hasChecks {
      do {
        try checker.check(self, hasFailed: status != SQLITE_ROW && status != SQLITE_DONE)
      } catch {
        reset()
        throw error
      }
    }
    switch status {
    case SQLITE_ROW:
      hasRow = true
      return true
    case SQLITE_DONE:
      sqlite3_reset(pointer)
      hasRow = false
      return false
    default:
      let connection = sqlite3_db_handle(pointer)
      // SQLite prepares the statement again in its first step if the schema has changed.
      let error = DatabaseError.sqlite(
        status, handle: connection, sql: sql, isInterrupted: interrupter.count != interrupts)
      let mayRetry = !hasRow && .error ~= error.resultCode
      reset()
      if mayRetry, checker.mayRetry() { return try step() }
      if sqlite3_get_autocommit(connection) != 0 { transactionScope.didEnd(at: sql, for: error) }
      throw error
    }
  }

  /// Does a step that may change the schema.
  private func stepCounting() -> Int32 {
    let connection = sqlite3_db_handle(pointer)
    let wasInTransaction = sqlite3_get_autocommit(connection) == 0
    let status = sqlite3_step(pointer)
    let isInTransaction = sqlite3_get_autocommit(connection) == 0
    let isNested = wasInTransaction && isInTransaction
    if schemaEffect != .savepoint || !isNested { schemaCounter?.increment() }
    if status == SQLITE_DONE, wasInTransaction, !isInTransaction {
      transactionScope.didEnd(at: sql, for: nil)
    }
    return status
  }

  /// Ends the current run, so that the statement can be bound and run again.
  ///
  /// Outside of a transaction, a statement with RETURNING that was not run to its end commits here, and an
  /// error of the commit is not reported: call ``run()`` to end it.
  public func reset() {
    // The result repeats the error of the last `step`, which was already thrown.
    _ = sqlite3_reset(pointer)
    hasRow = false
    // A statement with RETURNING that is not run to its end commits here.
    observer?.statementDidRun()
  }

  /// The row of the last `step()`. It always shows the current step, so one view is enough for a
  /// whole run.
  package var currentRow: RowView { RowView(self) }

  /// Runs to the end with the bound values, and calls `body` with each row.
  public func forEachRow(_ body: (borrowing RowView) throws -> Void) throws {
    defer { reset() }
    let row = currentRow
    while try step() { try body(row) }
  }

  /// Runs to the end, ignoring rows.
  public func run() throws {
    // The last step resets the statement, whether it succeeds or fails.
    while try step() {}
  }
}

extension ColumnNames {
  fileprivate convenience init(ofStatement pointer: OpaquePointer) {
    self.init(
      (0..<sqlite3_column_count(pointer)).map { column in
        sqlite3_column_name(pointer, column).map { String(cString: $0) } ?? ""
      })
  }
}

extension Statement {
  /// A counter of the work of a statement, for tests that must not depend on time.
  ///
  /// Source: [sqlite3_stmt_status](https://www.sqlite.org/c3ref/stmt_status.html).
  package enum Counter: Int32 {
    case fullScanSteps = 1
    case sorts = 2
    case automaticIndexes = 3
    case virtualMachineSteps = 4
    case runs = 6
  }

  /// The value of a counter since the statement was prepared, or since the last read with `reset`.
  package func counter(_ counter: Counter, reset: Bool = false) -> Int {
    Int(sqlite3_stmt_status(pointer, counter.rawValue, reset ? 1 : 0))
  }
}

protocol StatementChecker: AnyObject {
  /// Whether there is anything to check after a step.
  var hasChecks: Bool { get }
  /// Called after a step, if there is anything to check. Throws only if the step has not failed.
  func check(_ statement: Statement, hasFailed: Bool) throws
  /// Called when a statement has failed with a general error.
  ///
  /// - Returns: whether it may succeed if it is run again.
  func mayRetry() -> Bool
}

/// An object that is notified of what statements of a connection do: the capture of its writes.
protocol StatementObserver: AnyObject {
  /// Called after each call that may commit: each step, reset and end of a statement.
  func statementDidRun()
  /// Called when the connection is about to be closed.
  func connectionWillClose()
}
