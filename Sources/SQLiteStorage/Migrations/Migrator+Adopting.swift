internal import Basics

extension Migrator {
  /// Records migrations as applied, without running them, in a database whose schema another program or an older version
  /// of the app has made.
  ///
  /// ```swift
  /// try migrator.adopt(database, through: 3)
  /// try migrator.up(database)
  /// ```
  ///
  /// An app may call both at every start. A database with a ledger is left as it is, and so is one without tables, in which
  /// ``up(_:to:dryRun:didRun:)`` runs all migrations.
  ///
  /// - Parameter version: the last migration whose changes the database has. If nil, the database says it: either by
  ///   the table `grdb_migrations` of GRDB, whose identifiers must be names of the migrations (`addRating`,
  ///   `add_rating` and `0002_add_rating` are the same), or by its `user_version`.
  /// - Returns: the migrations that are recorded now; empty if there is nothing to adopt.
  /// - Throws: `DatabaseError` with code `.migration` if there is no such migration, if the database does not say which
  ///   migrations it has, or if GRDB has applied one that is newer than `version`.
  @discardableResult
  public func adopt(_ database: Database, through version: Int? = nil) throws -> [Migration] {
    if let version { try requireMigration(version) }
    return try database.write { connection in
      guard try Ledger.entries(on: connection).isEmpty,
        try connection.tables().contains(where: { $0.kind == .table })
      else { return [] }
      let known = try Migrator.identifiers(ofGRDB: connection).map(versions(ofGRDB:))
      if let version, let newest = known?.keys.max(), newest > version {
        throw DatabaseError(
          .migration, "GRDB has applied migration \(newest) too, which is newer than \(version)",
          nextStep: "Adopt the database through \(newest)")
      }
      let last = try version ?? known.map(newest(ofGRDB:)) ?? self.version(of: connection)
      let adopted = migrations.filter { $0.version <= last }
      try Ledger.create(on: connection)
      for migration in adopted {
        try Ledger.add(
          Ledger.Entry(
            version: migration.version, name: migration.name, checksum: migration.checksum,
            appliedAt: now(), duration: .zero), on: connection)
      }
      return adopted
    }
  }

  /// The identifiers that GRDB's `DatabaseMigrator` has recorded; nil if it has not been here.
  private static func identifiers(ofGRDB connection: Connection) throws -> [String]? {
    guard try connection.table(named: "grdb_migrations", in: "main") != nil else { return nil }
    return try connection.values(String.self, "SELECT identifier FROM main.grdb_migrations")
  }

  /// The versions of the migrations with some identifiers; 0 for those that are unknown.
  private func versions(ofGRDB identifiers: [String]) -> [Int: String] {
    let versions = identifiers.map { identifier in
      let words = identifier.words
      let migration = migrations.first {
        $0.name.words == words || $0.fileName(.up).stem.words == words
      }
      return (migration?.version ?? 0, identifier)
    }
    return Dictionary(versions) { first, _ in first }
  }

  /// The newest of some migrations.
  ///
  /// - Throws: if one of them is unknown, or a migration before the newest is not among them.
  private func newest(ofGRDB versions: [Int: String]) throws -> Int {
    if let unknown = versions[0] {
      throw DatabaseError(
        .migration, "GRDB has applied \"\(unknown)\", and no migration has this name",
        nextStep: "Name the migrations as in GRDB, or say which the database has: "
          + "adopt(database, through:)")
    }
    let newest = versions.keys.max() ?? 0
    let missing = migrations.first { $0.version < newest && versions[$0.version] == nil }
    if let missing {
      throw DatabaseError(
        .migration, "GRDB has not applied \(missing.fileName), although it has a newer one",
        nextStep: "Give it a number above \(newest)")
    }
    return newest
  }

  /// The version in the header of the file.
  private func version(of connection: Connection) throws -> Int {
    let version = try connection.value(Int.self, "PRAGMA main.user_version") ?? 0
    let newest = migrations.last?.version ?? 0
    guard version > 0 else {
      throw DatabaseError(
        .migration, "the database does not say which migrations it has: its user_version is 0",
        nextStep: "Say it: adopt(database, through: \(newest))")
    }
    guard version <= newest else {
      throw DatabaseError(
        .migration,
        "the user_version of the database is \(version), and the newest migration is \(newest)",
        nextStep: "If the number is no version of the schema, say which migrations it has: "
          + "adopt(database, through: \(newest)); or use the version of the application that has them"
      )
    }
    return version
  }
}

extension String {
  /// The words of an identifier in camel case, snake case or prose, in lower case.
  fileprivate var words: [Substring] {
    inSnakeCase.split { !$0.isLetter && !$0.isNumber }
  }
}
