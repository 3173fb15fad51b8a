internal import Synchronization

/// A pool of connections for reading. A connection is used by one reader at a time and then kept
/// for the next.
final class ReaderPool: Sendable {
  private let open: @Sendable () throws -> Connection
  private let idle = Locked<[Connection]>([])

  init(opening open: @escaping @Sendable () throws -> Connection) { self.open = open }

  /// Returns a connection without a transaction, for exclusive use by the caller.
  func take() throws -> Connection {
    if let connection = idle.withLock({ $0.popLast() }) { return connection }
    return try open()
  }

  /// Returns a connection to the pool. A connection that cannot be reset, or exceeds ``idleLimit``,
  /// is closed.
  func checkIn(_ connection: Connection) {
    do {
      try connection.resetForReuse()
    } catch {
      return  // The connection is closed, which ends its transaction.
    }
    idle.withLock { if $0.count < ReaderPool.idleLimit { $0.append(connection) } }
  }

  /// The maximum number of idle connections. Further connections are closed after use.
  static var idleLimit: Int { 4 }
}
