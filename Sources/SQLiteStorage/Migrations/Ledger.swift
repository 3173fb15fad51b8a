internal import SmallFoundation

/// The table of the applied migrations in the database.
enum Ledger {
  struct Entry: Equatable {
    let version: Int
    let name: String
    let checksum: String
    let appliedAt: Date
    let duration: Duration

    var fileName: String {
      Migration.FileName(version: version, name: name, isSwift: isSwift).description
    }
    /// Whether the migration is in Swift.
    var isSwift: Bool { checksum == Migration.checksumOfSwift }
  }

  private static let columns = ["version", "name", "checksum", "applied_at", "duration_ms"]

  static func create(on connection: Connection) throws {
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS main.schema_migrations (
        version INTEGER NOT NULL PRIMARY KEY,
        name TEXT NOT NULL,
        checksum TEXT NOT NULL, -- the SHA-256 of the file, or swift
        applied_at TEXT NOT NULL, -- ISO 8601, UTC
        duration_ms INTEGER NOT NULL
      ) STRICT
      """)
  }

  /// The applied migrations, by version; empty if there is no ledger yet.
  static func entries(on connection: Connection) throws -> [Entry] {
    guard try exists(on: connection) else { return [] }
    var entries: [Entry] = []
    try connection.query(
      """
      SELECT version, name, checksum, applied_at, duration_ms FROM main.schema_migrations
      ORDER BY version
      """
    ) { row in
      entries.append(
        Entry(
          version: try row.decode(at: 0), name: try row.decode(at: 1),
          checksum: try row.decode(at: 2), appliedAt: try row.decode(at: 3),
          duration: .milliseconds(try row.decode(Int.self, at: 4))))
    }
    return entries
  }

  static func add(_ entry: Entry, on connection: Connection) throws {
    let milliseconds = (entry.duration / .milliseconds(1)).rounded()
    try connection.execute(
      """
      INSERT INTO main.schema_migrations (version, name, checksum, applied_at, duration_ms)
      VALUES (?, ?, ?, ?, ?)
      """,
      [
        entry.version.columnValue, .text(entry.name), .text(entry.checksum),
        .text(entry.appliedAt.formatted(.iso8601)), Int(milliseconds).columnValue,
      ])
  }

  static func remove(version: Int, on connection: Connection) throws {
    try connection.execute(
      "DELETE FROM main.schema_migrations WHERE version = ?", [version.columnValue])
  }

  /// Whether the table exists.
  ///
  /// - Throws: `DatabaseError` with code `.migration` if the table is another tool's: the name is a
  ///   common one.
  private static func exists(on connection: Connection) throws -> Bool {
    var found: Set<ExactText> = []
    try connection.query("SELECT name FROM pragma_table_info('schema_migrations', 'main')") {
      found.insert($0.string(at: 0).sqliteFolded)
    }
    let missing = columns.filter { !found.contains($0.exact) }
    guard !found.isEmpty, !missing.isEmpty else { return !found.isEmpty }
    throw DatabaseError(
      .migration,
      "the table schema_migrations belongs to another tool: it has no column \(missing[0])",
      nextStep: "Use that tool, or rename the table first")
  }
}
