#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Brings databases to the newest version of their schema, and back.
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
/// in the database says what is applied. It is made with the first migration. `user_version` is
/// left to the application.
///
/// **One file, one transaction.** Each migration runs in a `BEGIN IMMEDIATE` together with its row
/// in the ledger: all of it is applied, or nothing. Foreign keys are not enforced meanwhile, so
/// that tables can be rebuilt, and neither do `ON DELETE` actions act; `PRAGMA foreign_key_check`
/// must find nothing before the commit. Afterwards the enforcement is as it was. Those that ran
/// before one that fails stay applied.
///
/// **What is refused.** Before anything runs: an applied migration that was edited or is missing, a
/// pending one that is older than the newest applied, a pending one without a statement; when the
/// migrator is made: two with the same version, and SQL that ends its transaction or reaches out
/// of it (`BEGIN`, `COMMIT`, `END`, `ROLLBACK`, `SAVEPOINT`, `RELEASE`, `ATTACH`, `DETACH`,
/// `VACUUM`); while it runs: a statement that drops, alters or writes `schema_migrations`.
///
/// **Outside a transaction.** A file whose first line is `-- migrate:no-transaction` may hold those.
/// It runs statement by statement. Where one fails, what came before it stays and the ledger does
/// not have the file: it is still pending, and the next ``up(_:to:dryRun:didRun:)`` runs it from
/// the beginning. A transaction it leaves open is rolled back, a database it leaves attached
/// detached. Two processes may run it at the same time, and then it is recorded once. So write such
/// a file so that it can run twice, and put nothing in it that need not be there.
///
/// **Several processes** may migrate one database at the same time: the second one waits for the lock
/// (``Database/Configuration/busyTimeout``), reads the ledger again, and leaves out what the first has
/// done.
///
/// Sendable: it is a value, and holds no database.
public struct Migrator: Sendable {
  /// The migrations by version.
  public let migrations: [Migration]

  let clock: any Clock<Duration>
  let now: @Sendable () -> Date

  /// Takes migrations that the application holds in its code, in any order.
  ///
  /// - Parameters:
  ///   - clock: measures how long each takes.
  ///   - now: the time that the ledger calls `applied_at`.
  /// - Throws: `DatabaseError` of code `.migration`, naming the migration as a file, where a version
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
      _ = try migration.script(.up)
      _ = try migration.script(.down)
    }
  }

  static let namingRule = "Name it like 0001_snake_name, with a number from 0001 to 9999"
}

extension Migration {
  fileprivate var isNameValid: Bool { FileName(version: version, name: name).isValid }

  /// The script that runs in a direction; nil where there is no way back.
  func script(_ direction: Direction) throws -> MigrationScript? {
    let fileName = FileName(version: version, name: name, direction: direction).description
    let sql = direction == .up ? up : down
    return try sql.map { try MigrationScript($0, fileName: fileName) }
  }
}

// MARK: - Looking

extension Migrator {
  /// How every migration stands with `database`, by version; those that are in the ledger only are
  /// among them.
  ///
  /// It reads; nothing is refused and nothing is created.
  ///
  /// - Throws: `DatabaseError` of code `.migration` where `schema_migrations` is another tool's
  ///   table, and `.sqlite` where the database cannot be read.
  public func status(of database: Database) throws -> [Migration.Status] {
    try database.read { connection in status(in: try Ledger.entries(on: connection)) }
  }

  /// Makes sure that what is applied to `database` is what the migrations say, and that the pending
  /// ones can follow.
  ///
  /// - Throws: `DatabaseError` of code `.migration` for the first ``Migration/Status/problem`` of
  ///   ``status(of:)``; that something is pending is none.
  public func verify(_ database: Database) throws {
    try Migrator.refuse(try status(of: database).compactMap(\.problem))
  }

  func status(in entries: [Ledger.Entry]) -> [Migration.Status] {
    let newest = entries.last
    // Versions are unique in a ledger that was made here, but who knows who made this one.
    var unknown = Dictionary(
      entries.map { ($0.version, $0) }, uniquingKeysWith: { first, _ in first })
    var status = migrations.map { migration in
      Migration.Status(
        migration, entry: unknown.removeValue(forKey: migration.version), newest: newest)
    }
    status += unknown.values.map(Migration.Status.init(missing:))
    return status.sorted { $0.version < $1.version }
  }

  /// Makes sure that the ledger's entries allow a run in `direction`.
  func refuseProblems(in entries: [Ledger.Entry], _ direction: Migration.Direction) throws {
    // Taking the newer ones back is the cure for one out of order, so the way down is open.
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
