internal import CSQLite

extension Connection {
  /// Runs `body` while no trigger fires and no foreign key is enforced. Unlike the pragmas, it works in a transaction.
  ///
  /// - Throws: what `body` throws.
  package func withoutSideEffects<Result>(_ body: () throws -> Result) throws -> Result {
    let enforcesForeignKeys = try value(Bool.self, "PRAGMA foreign_keys") ?? false
    try setSideEffects(foreignKeys: false, triggers: false)
    let result = Swift.Result { try body() }
    try setSideEffects(foreignKeys: enforcesForeignKeys, triggers: true)
    return try result.get()
  }

  private func setSideEffects(foreignKeys: Bool, triggers: Bool) throws {
    for (option, enabled) in [
      (SQLITE_DBCONFIG_ENABLE_FKEY, foreignKeys), (SQLITE_DBCONFIG_ENABLE_TRIGGER, triggers),
    ] {
      try check(csqlite_db_config(handle, option, enabled ? 1 : 0))
    }
  }
}
