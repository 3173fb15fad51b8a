/// What a migration runs in one direction.
protocol MigrationWork {
  /// The name for messages.
  var fileName: String { get }
  var usesTransaction: Bool { get }
  /// Whether it does nothing.
  var isEmpty: Bool { get }
  /// Refuses what would not do what its author expects, before it runs.
  func checkMayRun() throws
  /// Does the work.
  ///
  /// - Throws: `DatabaseError` with code `.migration`.
  func run(on connection: Connection) throws
}

extension MigrationWork {
  /// The error of work that failed, with what remains of its changes.
  func failure(
    _ message: String, sql: String? = nil, _ cause: (any Error)? = nil
  ) -> DatabaseError {
    DatabaseError(
      .migration, message, resultCode: (cause as? DatabaseError)?.resultCode ?? .ok, sql: sql,
      nextStep: usesTransaction
        ? "The migration was rolled back: correct it, and run it again"
        : "The statements before that one stay, and the file is not recorded as applied: correct it "
          + "so that all of it can run again",
      cause: cause)
  }
}

/// A migration in Swift.
struct MigrationChange: MigrationWork {
  let fileName: String
  let change: Migration.Change

  var usesTransaction: Bool { true }
  var isEmpty: Bool { false }

  func checkMayRun() {}

  func run(on connection: Connection) throws {
    let applied = try Ledger.entries(on: connection)
    do {
      // In a savepoint, the closure cannot end the transaction, which also records the migration.
      try connection.savepoint { try change(connection) }
    } catch {
      let reason = (error as? DatabaseError)?.message ?? "\(error)"
      throw failure("\(fileName): \(reason)", sql: (error as? DatabaseError)?.sql, error)
    }
    guard try Ledger.entries(on: connection) == applied else {
      throw failure(
        "\(fileName): a migration must not change schema_migrations, where applied migrations are "
          + "recorded")
    }
  }
}
