extension Migrator {
  /// Applies the pending migrations, oldest first.
  ///
  /// If none is pending, this only reads. So an app may call it at every start, and on a read-only
  /// database.
  ///
  /// - Parameters:
  ///   - version: the last version to apply; nil for all.
  ///   - dryRun: whether to run everything in one transaction and roll it back, including the
  ///     creation of the ledger. Other writers wait during a dry run.
  ///   - didRun: called after each migration, on the calling thread. Migrations reported here stay
  ///     applied if a later one fails. An error it throws ends the run; migrations that ran stay
  ///     applied.
  /// - Returns: the migrations that ran, in order; empty if none was pending.
  /// - Throws: `DatabaseError` with code `.migration` if a migration is refused (see ``Migrator``),
  ///   the version does not exist, a statement fails, or rows are left without their parent; with
  ///   `dryRun` also if a file does not run in a transaction. `.sqlite` with `.busy` if another
  ///   process does not release its lock in time.
  @discardableResult
  public func up(
    _ database: Database, to version: Int? = nil, dryRun: Bool = false,
    didRun: (Migration.Step) throws -> Void = { _ in }
  ) throws -> [Migration.Step] {
    if let version { try requireMigration(version) }
    let entries = try database.read { try Ledger.entries(on: $0) }
    try refuseProblems(in: entries, .up)
    let applied = Set(entries.map(\.version))
    let pending = migrations.filter {
      !applied.contains($0.version) && $0.version <= version ?? Int.max
    }
    return try run(pending, .up, on: database, dryRun: dryRun, didRun)
  }

  /// Reverts applied migrations, newest first.
  ///
  /// A pending migration that is out of order is not refused, since reverting the newer ones solves
  /// the problem. Everything else that ``up(_:to:dryRun:didRun:)`` refuses is refused here.
  ///
  /// - Parameters:
  ///   - version: the newest version that stays, 0 for none; nil reverts the newest migration.
  ///   - dryRun: as for ``up(_:to:dryRun:didRun:)``.
  ///   - didRun: as for ``up(_:to:dryRun:didRun:)``.
  /// - Returns: the reverted migrations, in that order; empty if none was applied.
  /// - Throws: the same as ``up(_:to:dryRun:didRun:)``, and if one of them cannot be reverted, before
  ///   anything runs.
  @discardableResult
  public func down(
    _ database: Database, to version: Int? = nil, dryRun: Bool = false,
    didRun: (Migration.Step) throws -> Void = { _ in }
  ) throws -> [Migration.Step] {
    if let version, version != 0 { try requireMigration(version) }
    let entries = try database.read { try Ledger.entries(on: $0) }
    try refuseProblems(in: entries, .down)
    let oldest = version.map { $0 + 1 } ?? entries.last?.version ?? Int.max
    let applied = Set(entries.map(\.version))
    let leaving = migrations.filter { $0.version >= oldest && applied.contains($0.version) }
    return try run(leaving.reversed(), .down, on: database, dryRun: dryRun, didRun)
  }

  func requireMigration(_ version: Int) throws {
    guard !migrations.contains(where: { $0.version == version }) else { return }
    let known = migrations.last.map { "The newest is \($0.fileName)" } ?? "There are no migrations"
    throw DatabaseError(.migration, "there is no migration \(version)", nextStep: known)
  }
}

// MARK: - A run

extension Migrator {
  /// A migration about to run.
  private struct Job {
    let migration: Migration
    let direction: Migration.Direction
    let work: any MigrationWork
  }

  private func run(
    _ migrations: [Migration], _ direction: Migration.Direction, on database: Database,
    dryRun: Bool, _ didRun: (Migration.Step) throws -> Void
  ) throws -> [Migration.Step] {
    let jobs = try migrations.map { try job($0, direction, dryRun: dryRun) }
    guard !jobs.isEmpty else { return [] }
    return try database.withWriter { connection in
      if dryRun { return try rehearse(jobs, on: connection, didRun) }
      var steps: [Migration.Step] = []
      for job in jobs {
        let step = try connection.withoutForeignKeys {
          job.work.usesTransaction
            ? try connection.transaction { try apply(job, on: connection) }
            : try applyWithoutTransaction(job, on: connection)
        }
        guard let step else { continue }
        steps.append(step)
        try didRun(step)
      }
      return steps
    }
  }

  /// Finds the files that cannot run, before any file runs.
  private func job(
    _ migration: Migration, _ direction: Migration.Direction, dryRun: Bool
  ) throws -> Job {
    guard let work = try migration.work(direction) else {
      let isSQL = migration.up != nil
      throw DatabaseError(
        .migration,
        "\(migration.fileName) cannot be reverted: there is no \(isSQL ? "SQL" : "closure") for it",
        nextStep: (isSQL ? "Write it in a .down.sql file" : "Give it one as down:")
          + ", or restore the database from a backup")
    }
    guard !work.isEmpty else {
      // An empty file that is recorded as applied could not be filled in later.
      throw DatabaseError(
        .migration, "\(work.fileName) has no statement",
        nextStep: "Write one; if there is nothing to do, write SELECT 1;")
    }
    guard work.usesTransaction || !dryRun else {
      throw DatabaseError(
        .migration,
        "\(work.fileName) runs outside a transaction, so a dry run cannot roll it back",
        nextStep: "Use to: to stop before it, and try it on a copy of the database")
    }
    try work.checkMayRun()
    return Job(migration: migration, direction: direction, work: work)
  }

  /// Runs everything and rolls it back.
  private func rehearse(
    _ jobs: [Job], on connection: Connection, _ didRun: (Migration.Step) throws -> Void
  ) throws -> [Migration.Step] {
    struct RolledBack: Error { let steps: [Migration.Step] }
    do {
      return try connection.withoutForeignKeys {
        try connection.transaction {
          var steps: [Migration.Step] = []
          for job in jobs {
            guard let step = try apply(job, on: connection) else { continue }
            steps.append(step)
            try didRun(step)
          }
          throw RolledBack(steps: steps)
        }
      }
    } catch let done as RolledBack {
      return done.steps
    }
  }

  /// Runs one migration in the open transaction and records it.
  ///
  /// - Returns: nil if another process has run it.
  private func apply(_ job: Job, on connection: Connection) throws -> Migration.Step? {
    guard try mayRun(job, on: connection) else { return nil }
    return try record(job, duration: try execute(job.work, on: connection), on: connection)
  }

  private func applyWithoutTransaction(
    _ job: Job, on connection: Connection
  ) throws -> Migration.Step? {
    guard try mayRun(job, on: connection) else { return nil }
    let attached = Set(try connection.schemaNames().exact)
    let duration: Duration
    do {
      duration = try execute(job.work, on: connection)
      guard !connection.isInTransaction else {
        throw job.work.failure("\(job.work.fileName) does not end a transaction it begins")
      }
      try connection.detachAll(except: attached)
    } catch {
      if connection.isInTransaction { try connection.execute("ROLLBACK") }
      try connection.detachAll(except: attached)
      throw error
    }
    return try connection.transaction {
      // Another process may have run and recorded the same migration since.
      guard try isDue(job, try Ledger.entries(on: connection)) else { return nil }
      return try record(job, duration: duration, on: connection)
    }
  }

  /// Whether a migration is due, as the ledger is now. Also throws if it would be reverted and is no longer the
  /// newest.
  private func mayRun(_ job: Job, on connection: Connection) throws -> Bool {
    let entries = try Ledger.entries(on: connection)
    guard try isDue(job, entries) else { return false }
    guard job.direction == .down, let newest = entries.last,
      newest.version != job.migration.version
    else { return true }
    throw DatabaseError(
      .migration,
      "another process has applied migration \(newest.version) in the meantime, so "
        + "\(job.migration.version) is no longer the newest",
      nextStep: "Look at the status, and revert again")
  }

  /// Whether no other process has run the migration since it was planned. Throws if the ledger has
  /// problems.
  private func isDue(_ job: Job, _ entries: [Ledger.Entry]) throws -> Bool {
    try refuseProblems(in: entries, job.direction)
    let isApplied = entries.contains { $0.version == job.migration.version }
    return isApplied == (job.direction == .down)
  }

  private func execute(_ work: any MigrationWork, on connection: Connection) throws -> Duration {
    try clock.measure {
      let before = try ForeignKeyViolations(in: connection)
      try work.run(on: connection)
      let after = try ForeignKeyViolations(in: connection)
      if let failure = after.failure(of: work, since: before) { throw failure }
    }
  }

  private func record(
    _ job: Job, duration: Duration, on connection: Connection
  ) throws -> Migration.Step {
    let migration = job.migration
    switch job.direction {
    case .up:
      try Ledger.create(on: connection)
      try Ledger.add(
        Ledger.Entry(
          version: migration.version, name: migration.name, checksum: migration.checksum,
          appliedAt: now(), duration: duration), on: connection)
    case .down:
      try Ledger.remove(version: migration.version, on: connection)
    }
    return Migration.Step(
      version: migration.version, name: migration.name, direction: job.direction,
      duration: duration, fileName: job.work.fileName)
  }
}

// MARK: - State of the connection

extension Connection {
  fileprivate func detachAll(except kept: Set<ExactText>) throws {
    for name in try Set(schemaNames().exact).subtracting(kept) where name != "temp" {
      try execute(script: "DETACH \(name.text.quotedIdentifier)")
    }
  }
}
