public import SmallFoundation

extension Migration {
  /// The status of one migration in one database. Sendable: it is a value.
  ///
  /// ```swift
  /// for status in try migrator.status(of: database) {
  ///   print(status.fileName, status.state.rawValue, status.problem?.description ?? "")
  /// }
  /// ```
  public struct Status: Hashable, Sendable {
    /// The number of the migration.
    public let version: Int
    /// The name of the migration.
    public let name: String
    /// The state of the migration in the database.
    public let state: State
    /// When the migration was applied, to the second; nil if it is not applied.
    public let appliedAt: Date?
    /// How long applying it took, to the millisecond; nil if it is not applied.
    public let duration: Duration?

    /// The name of the file; for a migration in Swift without the `.sql`.
    public let fileName: String

    let refusal: Refusal?
  }

  /// The state of a migration in a database.
  public enum State: String, Sendable {
    case applied
    /// Not applied yet.
    case pending
    /// Applied, but its content or name has changed since.
    case edited
    /// Applied, but not among the migrations: no longer, or not yet.
    case missing
    /// Not applied, although a newer one is.
    case outOfOrder = "out of order"
  }
}

extension Migration.Status {
  /// The problem and what to do next; nil for ``Migration/State/applied`` and
  /// ``Migration/State/pending``.
  public var problem: DatabaseError? {
    refusal.map { DatabaseError(.migration, $0.message, nextStep: $0.nextStep) }
  }

  /// The text of a problem, which needs both the ledger and the file.
  struct Refusal: Hashable, Sendable {
    let message: String
    let nextStep: String
  }

  /// Compares a migration with the ledger's entry for its version.
  ///
  /// - Parameter newest: the newest entry of the ledger.
  init(_ migration: Migration, entry: Ledger.Entry?, newest: Ledger.Entry?) {
    version = migration.version
    name = migration.name
    fileName = migration.fileName
    appliedAt = entry?.appliedAt
    duration = entry?.duration
    if let entry {
      refusal = Migration.Status.edit(of: migration, since: entry)
      state = refusal == nil ? .applied : .edited
    } else if let newest, newest.version > migration.version {
      state = .outOfOrder
      refusal = Refusal(
        message: "\(migration.fileName) is not applied, but the newer \(newest.fileName) is",
        nextStep: "Give it a number above \(newest.version), or revert the newer ones first")
    } else {
      state = .pending
      refusal = nil
    }
  }

  /// Makes the status of an entry without a migration.
  ///
  /// - Parameter newest: the newest migration; nil if there is none.
  init(missing entry: Ledger.Entry, newest: Migration?) {
    version = entry.version
    name = entry.name
    fileName = entry.fileName
    appliedAt = entry.appliedAt
    duration = entry.duration
    state = .missing
    if let newest, newest.version < entry.version {
      refusal = Refusal(
        message: "\(entry.fileName) is applied, and newer than \(newest.fileName), the newest "
          + "here: a newer version of the application has migrated the database",
        nextStep: "Use that version, or restore \(entry.isSwift ? "the migration" : "its file")")
      return
    }
    let file = entry.isSwift ? "it" : "the file"
    refusal = Refusal(
      message: "\(entry.fileName) is applied, but \(file) is missing",
      nextStep: "Restore \(file), or use the version of the application that has it")
  }

  private static func edit(of migration: Migration, since entry: Ledger.Entry) -> Refusal? {
    let isSwift = migration.checksum == Migration.checksumOfSwift
    if migration.name != entry.name {
      return Refusal(
        message: "\(migration.fileName) was applied as \(entry.fileName)",
        nextStep: "Rename \(isSwift ? "it" : "the file") back; a new migration needs the next "
          + "number")
    }
    if isSwift != entry.isSwift {
      return Refusal(
        message: "\(migration.fileName) was applied in \(isSwift ? "SQL" : "Swift"), and is in "
          + "\(isSwift ? "Swift" : "SQL") now",
        nextStep: "Restore it, and put the change in a new one")
    }
    if !migration.hasChecksum(entry.checksum) {
      return Refusal(
        message: "\(migration.fileName) was edited after it was applied: its SHA-256 was "
          + "\(entry.checksum.prefix(12))… and is \(migration.checksum.prefix(12))…",
        nextStep: "Restore the file, and put the change in a new one")
    }
    return nil
  }
}
