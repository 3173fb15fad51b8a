internal import CSQLite

extension Connection {
  /// When a transaction takes its locks.
  public enum TransactionKind: String, Sendable {
    /// At the first read and the first write. A transaction that reads and then writes may fail
    /// with `.busy` at the write: use `immediate` for it.
    case deferred = "DEFERRED"
    /// The write lock at the beginning.
    case immediate = "IMMEDIATE"
  }

  /// Runs `body` in a transaction. The transaction is committed when `body` returns and rolled back
  /// when it throws.
  ///
  /// After some errors SQLite rolls back the transaction by itself: those of `ON CONFLICT ROLLBACK` and
  /// `RAISE(ROLLBACK)`, a full disk. What `body` runs after that is refused, so that nothing of it stays.
  ///
  /// - Throws: what `body` throws; `DatabaseError` with code `.statementRefused` if `body` runs `COMMIT` or `ROLLBACK`,
  ///   and with `.abort` and the error as its cause if SQLite rolled back and `body` caught the error.
  @discardableResult
  public func transaction<Result>(
    _ kind: TransactionKind = .immediate, _ body: () throws -> Result
  ) throws -> Result {
    guard !isInTransaction else {
      throw DatabaseError(
        .sqlite, "cannot start a transaction within a transaction", resultCode: .error,
        nextStep: "Use savepoint(_:) to undo a part of it")
    }
    return try bracket(
      begin: "BEGIN \(kind.rawValue)", commit: "COMMIT", rollback: ["ROLLBACK"], body)
  }

  /// Runs `body` in a savepoint of the open transaction. When `body` throws, only its changes are
  /// rolled back.
  ///
  /// - Throws: the same as ``transaction(_:_:)``.
  @discardableResult
  public func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
    try bracket(
      begin: "SAVEPOINT nested", commit: "RELEASE nested",
      rollback: ["ROLLBACK TO nested", "RELEASE nested"], body)
  }

  private func bracket<Result>(
    begin: String, commit: String, rollback: [String], _ body: () throws -> Result
  ) throws -> Result {
    try execute(begin)
    do {
      let result = try transactionScope.run(body)
      try execute(commit)
      return result
    } catch {
      // Some failures (a full disk, an interrupt) have already rolled back the transaction.
      if isInTransaction {
        do {
          for sql in rollback { try execute(sql) }
        } catch let second {
          throw DatabaseError(
            .sqlite, "the transaction failed (\(error)) and could not be rolled back (\(second))",
            resultCode: (second as? DatabaseError)?.resultCode ?? .error,
            nextStep: "Close the database: that rolls back", cause: error)
        }
      }
      throw error
    }
  }

  /// Resets all statements and rolls back the open transaction, if there is one.
  ///
  /// - Returns: whether there was one.
  @discardableResult
  func resetForReuse() throws -> Bool {
    resetStatements()
    guard isInTransaction else { return false }
    try execute("ROLLBACK")
    return true
  }

  /// Resets all running statements, as before the end of their transaction.
  package func resetStatements() {
    var pointer = sqlite3_next_stmt(handle, nil)
    while let statement = pointer {
      if sqlite3_stmt_busy(statement) != 0 { sqlite3_reset(statement) }
      pointer = sqlite3_next_stmt(handle, statement)
    }
    observer?.statementDidRun()
  }
}
