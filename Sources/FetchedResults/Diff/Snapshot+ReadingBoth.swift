internal import SQLiteStorage

extension Snapshot {
  /// Runs `body` with connections that see this version and a newer one, or the same.
  ///
  /// - Throws: as ``read(_:)``.
  func read<Result>(
    with newer: Snapshot, _ body: (Connection, Connection) throws -> Result
  ) throws -> Result {
    // Two requests in the same version.
    if self === newer { return try read { try body($0, $0) } }
    // Always the older snapshot first, so that two threads cannot deadlock.
    return try read { connection in
      try newer.read { newConnection in try body(connection, newConnection) }
    }
  }
}
