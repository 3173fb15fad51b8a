internal import Dispatch
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The one connection that writes, used by one block of work after the other.
///
/// `@unchecked Sendable`: the connection is touched only on `queue`, which is serial.
final class Writer: @unchecked Sendable {
  private let queue = DispatchQueue(label: "FetchedResults.Writer")
  private let connection: Connection
  /// The thread that uses the connection now; 0 for none. A queue-specific value would not be found
  /// where another queue, such as another writer's, was entered in between.
  private let owner = Atomic<UInt>(0)

  init(_ connection: Connection) { self.connection = connection }

  /// Runs `body` on the calling thread once earlier work is done.
  ///
  /// - Throws: `DatabaseError` of code `.nestedWrite` when called from inside such a body, where
  ///   waiting would never end.
  func sync<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    if owner.load(ordering: .relaxed) == Writer.currentThread {
      throw DatabaseError(
        .nestedWrite, "write was called from inside write",
        nextStep: "Use the connection that the outer closure received")
    }
    return try queue.sync { try use(body) }
  }

  /// Leaves the write-ahead log as it is when the connection is closed.
  func keepLogWhenClosed() {
    // It fails only for a connection that is closed.
    queue.sync { try? connection.keepLogWhenClosed() }
  }

  /// Runs `body` in a transaction on the queue once earlier work is done; a cancelled task rolls it
  /// back.
  func transaction<Result: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    try await CancellableRun.perform(by: { self.queue.async(execute: $0) }) { run in
      try self.use { connection in
        try run.transaction(.immediate, on: connection) { try body(connection) }
      }
    }
  }

  /// Runs `body`, and leaves the connection as the next user expects it. A query left in the middle
  /// would hold its version of the database, so that no later write could succeed.
  private func use<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    owner.store(Writer.currentThread, ordering: .relaxed)
    defer { owner.store(0, ordering: .relaxed) }
    connection.capture?.prepareForUse(of: connection)
    let result: Result
    do {
      result = try body(connection)
    } catch {
      try connection.comeToRest()
      throw error
    }
    guard try !connection.comeToRest() else {
      throw DatabaseError(
        .sqlite, "a transaction was left open, and has been rolled back", resultCode: .abort,
        nextStep: "Commit it before the closure returns, or use transaction(_:_:)")
    }
    return result
  }

  /// A number that no other live thread has.
  private static var currentThread: UInt {
    #if canImport(Glibc)
      pthread_self()
    #else
      UInt(bitPattern: pthread_self())
    #endif
  }
}
