/// Closures that run in one transaction of a connection, inside each other.
///
/// SQLite rolls back a transaction by itself after some errors: those of `ON CONFLICT ROLLBACK` and
/// `RAISE(ROLLBACK)`, a full disk, an interrupt. If the closure catches such an error and goes on, each of
/// its statements would be a transaction of its own, and persist. So they are refused.
///
/// Not Sendable: it belongs to the owner of the connection.
final class TransactionScope {
  private var depth = 0
  /// Why the transaction has ended although a closure still runs in it; nil if it has not.
  private(set) var earlyEnd: DatabaseError?

  /// Whether a closure runs in the transaction.
  var isOpen: Bool { depth > 0 }

  /// Runs `body` in the open transaction.
  ///
  /// - Throws: what `body` throws; ``earlyEnd`` if it hides that the transaction has ended.
  func run<Result>(_ body: () throws -> Result) throws -> Result {
    depth += 1
    defer {
      depth -= 1
      if depth == 0 { earlyEnd = nil }
    }
    let result = try body()
    if let earlyEnd { throw earlyEnd }
    return result
  }

  /// Notes that the transaction is over.
  ///
  /// - Parameter error: the error for which SQLite has rolled it back; nil if the statement did what it is for.
  func didEnd(at sql: String, for error: DatabaseError?) {
    guard isOpen, earlyEnd == nil else { return }
    guard let error else {
      earlyEnd = DatabaseError(
        .statementRefused, "the closure has ended its transaction", sql: sql,
        nextStep: TransactionScope.nextStep)
      return
    }
    earlyEnd = DatabaseError(
      .sqlite, "SQLite has rolled back the transaction: \(error.message)",
      resultCode: .abort, sql: sql,
      nextStep: "Throw that error out of the closure, and begin again", cause: error)
  }

  /// The error of a statement that would end the transaction of the closure that runs it.
  func refusal(of sql: String) -> DatabaseError {
    DatabaseError(
      .statementRefused, "a closure cannot end the transaction that it runs in", sql: sql,
      nextStep: TransactionScope.nextStep)
  }

  private static let nextStep = "Return from the closure to commit, or throw an error to roll back"
}
