public import SmallFoundation

/// Migrates databases to the newest version of their schema, and back.
///
/// ```swift
/// let migrator = try Migrator(folder: "Migrations")
/// let database = try Database(path: "library.sqlite")
/// for step in try migrator.up(database) {
///   print("applied \(step.fileName) in \(step.duration)")
/// }
/// ```
///
/// **The ledger.** The table `schema_migrations(version, name, checksum, applied_at, duration_ms)`
/// in the database lists the applied migrations. It is created with the first migration.
/// `user_version` is left to the application.
///
/// **One file, one transaction.** Each migration runs in a `BEGIN IMMEDIATE` together with its row
/// in the ledger: all of it is applied, or nothing. During the transaction foreign keys are not
/// enforced and `ON DELETE` actions do not run, so that tables can be rebuilt.
/// Before the commit, `PRAGMA foreign_key_check` must find no row that it did not find before the migration. Afterwards
/// the setting is restored. If a migration fails, those before it stay applied.
///
/// **What is refused.**
/// - Before anything runs: an applied migration that was edited (other line ends are no edit) or is missing, a pending
///   one that is older than the newest applied, and a pending one without a statement, with both halves of a migration
///   of another tool (`-- +goose Down`), or with a `PRAGMA` that a transaction ignores (`journal_mode`,
///   `foreign_keys`).
/// - When the migrator is made: two migrations with the same version, and SQL that ends or
///   nests its transaction, cannot run in it, or accesses other files (`BEGIN`, `COMMIT`, `END`,
///   `ROLLBACK`, `SAVEPOINT`, `RELEASE`, `ATTACH`, `DETACH`, `VACUUM`).
/// - During a migration: a statement that drops, alters or writes `schema_migrations`.
///
/// **In Swift** (`Migration(3, "hash_passwords") { … }`) a migration runs in the same way, and has no
/// checksum: nobody notices if it is edited after it was applied.
///
/// **Outside a transaction.** A file whose first line is `-- migrate:no-transaction` may contain
/// those statements. It runs statement by statement. If a statement fails, the changes before it
/// stay, and the file is not in the ledger: it is still pending, and the next
/// ``up(_:to:dryRun:didRun:)`` runs it from the beginning. If it leaves a transaction open, the
/// transaction is rolled back. If it leaves a database attached, the database is detached. Two
/// processes may run such a file at the same time; it is recorded once. So write it so that it can
/// run twice, and put only the necessary statements in it.
///
/// **Several processes** may migrate one database at the same time: the second one waits for the
/// lock (``Database/Configuration/busyTimeout``), reads the ledger again, and skips the migrations
/// that the first has run.
///
/// Sendable: it is a value, and holds no database.
public struct Migrator: Sendable {
  /// The migrations by version.
  public let migrations: [Migration]

  let clock: any Clock<Duration>
  let now: @Sendable () -> Date

  /// Makes a migrator with migrations made in code, in any order.
  ///
  /// - Parameters:
  ///   - clock: measures how long each migration takes.
  ///   - now: returns the time to store as `applied_at` in the ledger.
  /// - Throws: `DatabaseError` with code `.migration`, with the migration's file name, if a version
  ///   is not in 1 to 9999 or not unique, a name is not in snake_case, or the SQL is refused: see
  ///   ``Migrator``.
  public init(
    _ migrations: [Migration], clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) throws {
    self.migrations = migrations.sorted { $0.version < $1.version }
    self.clock = clock
    self.now = now
    for (migration, next) in zip(self.migrations, self.migrations.dropFirst())
    where migration.version == next.version {
      throw DatabaseError(
        .migration, "\(migration.fileName) and \(next.fileName) have the same version",
        nextStep: "Give the newer of them the next free number")
    }
    for migration in self.migrations {
      guard migration.isNameValid else {
        throw DatabaseError(
          .migration, "\(migration.fileName) is not a valid migration name",
          nextStep: Migrator.namingRule)
      }
      _ = try migration.work(.up)
      _ = try migration.work(.down)
    }
  }

  static let namingRule = "Name it like 0001_snake_name, with a number from 0001 to 9999"
}

extension Migration {
  fileprivate var isNameValid: Bool { FileName(version: version, name: name).isValid }

  /// What to run for a direction; nil if the migration cannot be reverted.
  func work(_ direction: Direction) throws -> (any MigrationWork)? {
    let fileName = fileName(direction).description
    switch content {
    case .sql(let up, let down):
      let sql = direction == .up ? up : down
      return try sql.map { try MigrationScript($0, fileName: fileName) }
    case .swift(let up, let down):
      return (direction == .up ? up : down).map { MigrationChange(fileName: fileName, change: $0) }
    }
  }
}

// MARK: - Status

extension Migrator {
  /// Returns the status of every migration in `database`, by version, including those that are only
  /// in the ledger.
  ///
  /// It only reads: nothing is refused and nothing is created.
  ///
  /// - Throws: `DatabaseError` with code `.migration` if `schema_migrations` is another tool's table,
  ///   and `.sqlite` if the database cannot be read.
  public func status(of database: Database) throws -> [Migration.Status] {
    try database.read { connection in status(in: try Ledger.entries(on: connection)) }
  }

  /// Checks that the applied migrations of `database` match these migrations, and that the pending
  /// ones can be applied.
  ///
  /// - Throws: `DatabaseError` with code `.migration` for the first ``Migration/Status/problem`` of
  ///   ``status(of:)``. A pending migration is not a problem.
  public func verify(_ database: Database) throws {
    try Migrator.refuse(try status(of: database).compactMap(\.problem))
  }

  func status(in entries: [Ledger.Entry]) -> [Migration.Status] {
    let newest = entries.last
    // Versions are unique in a ledger made by this library, but another program may have made it.
    var unknown = Dictionary(
      entries.map { ($0.version, $0) }, uniquingKeysWith: { first, _ in first })
    var status = migrations.map { migration in
      Migration.Status(
        migration, entry: unknown.removeValue(forKey: migration.version), newest: newest)
    }
    status += unknown.values.map { Migration.Status(missing: $0, newest: migrations.last) }
    return status.sorted { $0.version < $1.version }
  }

  /// Throws if an entry of the ledger prevents a run in `direction`.
  func refuseProblems(in entries: [Ledger.Entry], _ direction: Migration.Direction) throws {
    // Reverting the newer migrations solves an out-of-order problem, so it does not prevent a run
    // down.
    let problems = status(in: entries)
      .filter { direction == .up || $0.state != .outOfOrder }
      .compactMap(\.problem)
    try Migrator.refuse(problems)
  }

  private static func refuse(_ problems: [DatabaseError]) throws {
    guard let first = problems.first else { return }
    guard problems.count > 1 else { throw first }
    throw DatabaseError(
      .migration, "\(first.message) (the first of \(problems.count) problems)",
      nextStep: first.nextStep)
  }
}
