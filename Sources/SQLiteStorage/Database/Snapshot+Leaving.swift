internal import Synchronization

/// How a version makes room for a log to be reset: it is read through another connection, in the file or from a private copy.
///
/// | the snapshot | what happens |
/// |---|---|
/// | nobody reads it | its connection is replaced |
/// | ``readAll(_:)`` runs | that is interrupted, and begins anew with the new connection |
/// | another read runs | its end is waited for |
extension Snapshot {
  /// Runs `body` as ``read(_:)`` does. If the version must leave the file meanwhile, `body` is interrupted, and runs again:
  /// for a read that may take so long that writers would fill the log with what it keeps from being reset.
  ///
  /// - Parameter body: has no effect beside its result.
  package func readAll<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try Snapshot.repeating([self]) { try read { try interruptible($0, body) } }
  }

  /// The same with connections that see this version and a newer one, or the same.
  package func readAll<Result>(
    with newer: Snapshot, _ body: (Connection, Connection) throws -> Result
  ) throws -> Result {
    if self === newer { return try readAll { try body($0, $0) } }
    return try Snapshot.repeating([self, newer]) {
      try read(with: newer) { try interruptible($0, newer, $1, body) }
    }
  }

  /// The same with copies of `main`, of versions of which they are kept.
  package func readAllKept<Result>(
    with newer: Snapshot, _ body: (Connection, Connection) throws -> Result
  ) throws -> Result {
    try Snapshot.repeating([self, newer]) {
      try readKept { old in try newer.readKept { try interruptible(old, newer, $0, body) } }
    }
  }

  /// Replaces the connection by one to a private copy of the version, so that the log can be reset. If it is one already,
  /// nothing happens, and a read of it goes on.
  ///
  /// - Parameter copy: makes a copy of what a connection sees.
  func leaveFile(_ copy: (Connection) throws -> Connection) throws {
    // Several threads may want it at once. If only the first kept new reads away, the others would interrupt each of them.
    state.withLock { $0.leaverCount += 1 }
    defer { state.withLock { $0.leaverCount -= 1 } }
    while !hasLeftFile.load(ordering: .acquiring),
      try connection.withLockIfAvailable({ try leave(&$0, copy) }) == nil
    {
      // An interrupt between two statements has no effect, so there may be several.
      interrupt()
      SnapshotKeeper.wait(.milliseconds(1))
    }
  }

  private func leave(
    _ connection: inout Connection?, _ copy: (Connection) throws -> Connection
  ) throws {
    // Of a lost version, a copy would be of the newest one.
    guard let current = connection, !current.isPrivateCopy, current.isInTransaction else { return }
    connection = try copy(current)
    hasLeftFile.store(true, ordering: .releasing)
    chain.didRelease()
  }

  /// Replaces the connection by `replacement`, which sees the same version in the file, unless the snapshot is
  /// being read or is released. A private copy is given up.
  ///
  /// - Returns: the connection that is no longer needed: the old one, or `replacement`.
  func exchange(for replacement: Connection) -> Connection {
    let unneeded = connection.withLockIfAvailable { connection in
      guard let old = connection else { return replacement }
      connection = replacement
      if hasLeftFile.exchange(false, ordering: .acquiringAndReleasing) { chain.didPin() }
      return old
    }
    return unneeded ?? replacement
  }

  // MARK: - Interrupting

  /// A read was interrupted so that a version can leave the file.
  private struct Interruption: Error {}

  /// Repeats a read until it was not interrupted.
  ///
  /// - Parameter snapshots: what is read. While one of them leaves, none is read: all may leave at once.
  private static func repeating<Result>(
    _ snapshots: [Snapshot], _ read: () throws -> Result
  ) throws -> Result {
    while true {
      for snapshot in snapshots { snapshot.waitUntilItHasLeft() }
      do { return try read() } catch is Interruption {}
    }
  }

  /// Whether the version is to leave the file.
  var isLeaving: Bool { state.withLock { $0.leaverCount > 0 } }

  /// - Returns: whether it was waited for.
  @discardableResult
  func waitUntilItHasLeft() -> Bool {
    guard isLeaving else { return false }
    while isLeaving { SnapshotKeeper.wait(.milliseconds(1)) }
    return true
  }

  private func interruptible<Result>(
    _ connection: Connection, _ newer: Snapshot, _ newConnection: Connection,
    _ body: (Connection, Connection) throws -> Result
  ) throws -> Result {
    try interruptible(connection) { connection in
      try newer.interruptible(newConnection) { try body(connection, $0) }
    }
  }

  /// - Throws: `Interruption` if the version is to leave the file meanwhile, and what `body` throws.
  private func interruptible<Result>(
    _ connection: Connection, _ body: (Connection) throws -> Result
  ) throws -> Result {
    beginInterruptible(connection)
    defer { endInterruptible() }
    do {
      return try body(connection)
    } catch let error as DatabaseError where .interrupted ~= error.resultCode && wasInterrupted {
      throw Interruption()
    }
  }

  private func beginInterruptible(_ connection: Connection) {
    state.withLock { ($0.interrupter, $0.wasInterrupted) = (connection.interrupter, false) }
  }

  private func endInterruptible() { state.withLock { $0.interrupter = nil } }

  /// Whether the read was interrupted for the version to leave the file, and not with the whole database.
  private var wasInterrupted: Bool { state.withLock { $0.wasInterrupted } }

  private func interrupt() {
    state.withLock { state in
      guard let interrupter = state.interrupter else { return }
      state.wasInterrupted = true
      // With the lock: afterwards the connection may have another reader.
      interrupter.interrupt()
    }
  }
}
