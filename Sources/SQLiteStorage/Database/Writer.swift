internal import CLibrary
internal import CSQLite
internal import Dispatch
internal import Synchronization

/// The writer connection, on which blocks of work run one after the other.
///
/// `@unchecked Sendable`: the connection is used, and closed, only on `queue`, which is serial; or at the end of the database,
/// when there is no more work.
final class Writer: @unchecked Sendable {
  private let queue = DispatchQueue(label: "FetchedResults.Writer")
  /// Nil after it was closed.
  private var connection: Connection?
  /// Notes what the connection writes; nil if the library cannot.
  private let capture: WriteCapture?
  /// The thread that uses the connection now; 0 for none. A queue-specific value would not be found
  /// if another queue, such as another writer's, was entered in between.
  private let owner = Atomic<UInt>(0)

  init(_ connection: Connection, capture: WriteCapture?) {
    self.connection = connection
    self.capture = capture
  }

  /// Runs `body` on the calling thread after all earlier work.
  ///
  /// - Throws: `DatabaseError` with code `.nestedWrite` if called inside such a body, which would be
  ///   a deadlock.
  func sync<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    if isUsedByThisThread { throw Writer.nested("write") }
    return try queue.sync { try use(body) }
  }

  /// Refuses to read in a transaction of the calling thread, whose changes the read would not see.
  ///
  /// - Parameter call: the name of the function that reads.
  func refuseRead(by call: String) throws {
    if isUsedByThisThread, connection?.isInTransaction == true { throw Writer.nested(call) }
  }

  private var isUsedByThisThread: Bool { owner.load(ordering: .relaxed) == Writer.currentThread }

  private static func nested(_ call: String) -> DatabaseError {
    DatabaseError(
      .nestedWrite, "\(call) was called from inside write",
      nextStep: "Use the connection that the outer closure received")
  }

  /// Keeps the write-ahead log unchanged when the last reference to the writer closes the connection.
  ///
  /// For the end of a database: whoever writes has a reference to it, so nobody else uses the connection now. This thread may
  /// be the one of the queue, which must not wait for itself: work may have had the last reference to the database.
  func keepLogWhenClosed() {
    // Fails only if the connection is closed.
    try? connection?.keepLogWhenClosed()
  }

  /// - Throws: `DatabaseError` with code `.nestedWrite` if the calling thread writes.
  func refuseClosing() throws {
    if isUsedByThisThread { throw Writer.nested("suspend or close") }
  }

  /// Closes the connection after all earlier work.
  ///
  /// - Parameter keepsLog: whether the write-ahead log stays unchanged.
  func close(keepsLog: Bool) {
    queue.sync {
      if keepsLog { keepLogWhenClosed() }
      connection = nil
    }
  }

  /// Runs `body` in a transaction on the queue after all earlier work. Cancelling the task rolls it
  /// back.
  ///
  /// - Parameter frame: calls its argument, which uses the connection; on the queue too.
  func transaction<Result: Sendable>(
    within frame: @escaping @Sendable (() throws -> Result) throws -> Result = { try $0() },
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    try await CancellableRun.perform(by: { self.queue.async(execute: $0) }) { run in
      try frame {
        try self.use { connection in
          try run.transaction(.immediate, on: connection) { try body(connection) }
        }
      }
    }
  }

  /// Runs `body`, and resets the connection for the next user. An unfinished query would hold its
  /// version of the database, so that no later write could succeed.
  private func use<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    guard let connection else {
      throw DatabaseError.closedMeanwhile
    }
    owner.store(Writer.currentThread, ordering: .relaxed)
    defer { owner.store(0, ordering: .relaxed) }
    capture?.prepareForUse(of: connection)
    let result: Result
    do {
      result = try body(connection)
    } catch {
      try connection.resetForReuse()
      throw error
    }
    guard try !connection.resetForReuse() else {
      throw DatabaseError(
        .sqlite, "a transaction was left open, and has been rolled back", resultCode: .abort,
        nextStep: "Commit it before the closure returns, or use transaction(_:_:)")
    }
    return result
  }

  /// A number that identifies the current thread among all live threads.
  private static var currentThread: UInt {
    #if canImport(Glibc)
      pthread_self()
    #else
      UInt(bitPattern: pthread_self())
    #endif
  }
}
