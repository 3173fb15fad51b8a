internal import CSQLite

extension Connection {
  /// Runs `body` while no foreign key is enforced. Unlike the pragma, it works in a transaction.
  ///
  /// - Parameter firesTriggers: whether triggers fire.
  package func withoutForeignKeys<Result>(
    firesTriggers: Bool = true, _ body: () throws -> Result
  ) throws -> Result {
    let isEnforced = try value(Bool.self, "PRAGMA foreign_keys") ?? false
    try setSideEffects(foreignKeys: false, triggers: firesTriggers)
    let result = Swift.Result { try body() }
    try setSideEffects(foreignKeys: isEnforced, triggers: true)
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
