/// One version of a database, which can be read for as long as the snapshot is held, whatever is
/// written meanwhile.
///
/// ```swift
/// let before = try database.snapshot()
/// try database.write { try $0.execute("DELETE FROM track") }
/// let count = try before.read { try $0.value(Int.self, "SELECT count(*) FROM track") }
/// // still the old count
/// ```
///
/// All who ask for a snapshot of the same version share one. It ends with its last holder. Holding
/// one for long keeps the write-ahead log from being emptied.
///
/// Sendable: any thread may read; readers of one snapshot take turns.
public final class Snapshot: Sendable {
  /// The number of the version: a later snapshot of the same `Database` with other content has a
  /// greater one.
  public let version: Int

  private let connection: Guarded<Connection>
  private let release: @Sendable (Connection) -> Void

  /// Takes over a connection with an open read transaction.
  ///
  /// - Parameter release: called with the connection when the snapshot ends.
  init(
    version: Int, connection: Connection, release: @escaping @Sendable (Connection) -> Void
  ) {
    self.version = version
    self.connection = Guarded(connection)
    self.release = release
  }

  deinit {
    let connection = connection.withLock { $0 }
    release(connection)
  }

  /// Runs `body` with a connection that sees this version.
  ///
  /// The connection only reads. It must not be kept: it may be another one at the next call.
  public func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try connection.withLock { try body($0) }
  }

  /// Puts another connection that sees the same version in the place of the present one, unless
  /// somebody is reading.
  ///
  /// - Returns: the connection that is not needed any more: the old one, or `replacement`.
  func exchange(for replacement: Connection) -> Connection {
    let old = connection.withLockIfAvailable { connection in
      defer { connection = replacement }
      return connection
    }
    return old ?? replacement
  }
}
