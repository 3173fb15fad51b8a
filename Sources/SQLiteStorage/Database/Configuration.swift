extension Database {
  /// How a database is opened.
  public struct Configuration: Sendable {
    /// How long to wait for another connection's lock before failing with `.busy`.
    public var busyTimeout: Duration = .seconds(5)

    /// Whether foreign keys are enforced.
    public var enforcesForeignKeys = true

    /// Whether a file that can be written, and each that is attached to it, is switched to WAL mode,
    /// in which readers and the writer do not block each other.
    public var usesWAL = true

    /// How a snapshot of a file that is *not* in WAL mode is held.
    public var rollbackJournalSnapshots = RollbackJournalSnapshots.privateCopy

    /// How many frames the write-ahead log may have before it is copied into the database file.
    public var checkpointThreshold = 1_000

    /// Whether a database that is only read copies the write-ahead log into the database file when
    /// it has become eight times as long as ``checkpointThreshold``.
    ///
    /// No content changes by that. While somebody holds a version, no one else can do it, so a file
    /// that is observed by a reader alone and written by others has a log that grows for ever.
    public var copiesLongLogs = false

    /// How often to look for commits of others while somebody observes, where the system does not
    /// tell that a file was written; nil for never. Where it does tell, it is looked a fifth as often,
    /// for whether the files are still at their paths.
    public var pollInterval: Duration? = .milliseconds(200)

    /// Functions that SQL may call.
    public var functions: [ScalarFunction] = []

    /// Text orders that SQL may use.
    public var collations: [CustomCollation] = []

    /// Called with each new connection, after all of the above: the place for `ATTACH` and
    /// `PRAGMA`.
    public var prepareConnection: (@Sendable (Connection) throws -> Void)?

    /// The defaults above.
    public init() {}
  }

  /// How a snapshot of a file in rollback-journal mode is held, where a reader blocks writers.
  public enum RollbackJournalSnapshots: Sendable {
    /// As a copy in a temporary folder, so that nobody waits: for snapshots that are kept.
    case privateCopy
    /// By keeping the read lock, so that writers wait: for one short look at a file.
    case readLock
  }

  /// What a snapshot is, which depends on the file and where it lies.
  public enum SnapshotKind: String, Sendable {
    /// A read transaction on a file in WAL mode: it costs microseconds and blocks nobody.
    case readTransaction
    /// A private copy of a file in rollback-journal mode.
    case privateCopy
    /// A read lock on a file in rollback-journal mode: writers wait.
    case readLock
    /// The file itself, which nobody can change: it is on read-only media.
    case immutable
  }
}

extension Database.Configuration {
  /// Makes a new connection what the configuration says.
  func prepare(_ connection: Connection) throws {
    try connection.setBusyTimeout(busyTimeout)
    try connection.execute("PRAGMA foreign_keys = \(enforcesForeignKeys ? "ON" : "OFF")")
    for function in functions { try connection.register(function) }
    for collation in collations { try connection.register(collation) }
    try prepareConnection?(connection)
  }
}
