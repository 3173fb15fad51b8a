internal import CSQLite

extension Connection {
  /// Protects the program against files of unknown origin, and its SQL against misspelt names (``DoubleQuotes``).
  ///
  /// Source: [Defense against the dark arts](https://www.sqlite.org/security.html).
  func harden() throws {
    for (option, enabled) in [
      (SQLITE_DBCONFIG_TRUSTED_SCHEMA, try mustTrustSchema()), (SQLITE_DBCONFIG_DEFENSIVE, true),
      (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, false), (SQLITE_DBCONFIG_DQS_DML, false),
      (SQLITE_DBCONFIG_DQS_DDL, false),
    ] {
      try check(csqlite_db_config(handle, option, enabled ? 1 : 0))
    }
    try execute("PRAGMA cell_size_check = ON")
  }

  /// Sets the version of the schema of `main`, which a defensive connection does not.
  func setSchemaVersion(_ version: Int64) throws {
    try check(csqlite_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 0))
    try execute(SQL(verbatim: "PRAGMA schema_version = \(version)"))
    try check(csqlite_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1))
  }

  /// Whether the schema of a file must be trusted for an ordinary file to be readable.
  ///
  /// SQLite 3.40 does not say of its JSON functions that they are harmless. Without trust it refuses a whole
  /// file if a generated column, a CHECK, an index or a view calls one. A trusted schema can call no
  /// function of the program, since they are direct-only (see ``register(_:)``), and none that loads code
  /// or writes files: SQLite's are direct-only too. If an extension of the program has added functions to
  /// every connection, nothing is known of them, so the schema is not trusted.
  private func mustTrustSchema() throws -> Bool {
    var isNeeded = false
    // Unlike a query, it does not read the file.
    let statement = try prepare("PRAGMA function_list")
    defer { statement.reset() }
    while try statement.step() {
      let row = statement.currentRow
      let flags = Int32(truncatingIfNeeded: row.int64(at: 5))
      guard flags & (SQLITE_INNOCUOUS | SQLITE_DIRECTONLY) == 0 else { continue }
      guard case .text(let name) = row.value(at: 0) else { continue }
      if name.hasPrefix("json") || name.hasPrefix("->") {
        isNeeded = true
      } else if row.int64(at: 1) == 0, !Connection.searchFunctions.contains(name) {
        return false
      }
    }
    return isNeeded
  }

  /// What SQLite adds for full-text search and R*Trees. These functions read and write nothing but tables of
  /// the file.
  private static let searchFunctions: Set = [
    "bm25", "fts5", "fts5_source_id", "highlight", "match", "matchinfo", "offsets", "optimize",
    "rtreecheck", "rtreedepth", "rtreenode", "snippet",
  ]
}
