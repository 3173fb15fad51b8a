internal import Synchronization

/// The connections that read, each used by one reader at a time and then kept for the next.
final class ReaderPool: Sendable {
  private let open: @Sendable () throws -> Connection
  private let idle = Guarded<[Connection]>([])

  init(opening open: @escaping @Sendable () throws -> Connection) { self.open = open }

  /// A connection that nobody else uses, without a transaction.
  func take() throws -> Connection {
    if let connection = idle.withLock({ $0.popLast() }) { return connection }
    return try open()
  }

  /// Takes back a connection; one that cannot be brought to rest, or is one too many, is closed.
  func giveBack(_ connection: Connection) {
    do {
      try connection.comeToRest()
    } catch {
      return  // Closing it ends the transaction.
    }
    idle.withLock { if $0.count < ReaderPool.idleLimit { $0.append(connection) } }
  }

  /// More connections than this are closed after use.
  static var idleLimit: Int { 4 }
}
