internal import CSQLite

/// The write lock, held by a connection that writes nothing. Other writers wait for it as for any
/// writer.
///
/// Not Sendable: it belongs to the owner of its connection.
struct WriteLock {
  /// A hold of the lock, which ends at the latest when its connection is closed with its owner.
  private final class Hold: Sendable {
    let number: Int

    init(number: Int) { self.number = number }
  }

  private let path: String
  private let open: @Sendable () throws -> Connection
  /// Nil before the first use.
  private var connection: Connection?
  private var holdCount = 0
  private var current: Hold?

  /// The holds of all databases of this process, by the path of the file.
  private static let holds = Locked<[String: Weak<Hold>]>([:])

  /// - Parameter path: the resolved path of the file.
  init(path: String, opening open: @escaping @Sendable () throws -> Connection) {
    self.path = path
    self.open = open
  }

  /// The number of the current hold; nil if this value does not hold the lock.
  var hold: Int? { current?.number }

  /// Whether this value or that of another database of the process holds the lock.
  var isHeldInProcess: Bool { WriteLock.holds.withLock { $0[path]?.object != nil } }

  /// Tries to take the lock without a pause, for some milliseconds at a time. SQLite's busy handler
  /// waits longer after each try: under constant commits, which leave some microseconds between two,
  /// it would rarely get the lock.
  ///
  /// - Returns: the number of the hold; nil if other connections held the lock until the time was
  ///   over, if another database of this process holds it, or if the connection cannot be opened or used.
  mutating func take() -> Int? {
    do {
      let connection = try self.connection ?? open()
      self.connection = connection
      try connection.setBusyTimeout(.zero)
      let end = ContinuousClock.now + WriteLock.timeout
      repeat {
        let pause = ContinuousClock.now + WriteLock.attempt
        repeat {
          if isHeldInProcess { return nil }
          do {
            try connection.execute("BEGIN IMMEDIATE")
            holdCount += 1
            let hold = Hold(number: holdCount)
            current = hold
            WriteLock.holds.withLock { $0[path] = Weak(hold) }
            return hold.number
          } catch let error as DatabaseError where .busy ~= error.resultCode {}
        } while ContinuousClock.now < pause
        sqlite3_sleep(1)
      } while ContinuousClock.now < end
    } catch {
      // The caller tries again later.
    }
    return nil
  }

  /// Releases the lock, if it is held.
  mutating func release() {
    guard current != nil else { return }
    current = nil
    WriteLock.holds.withLock { $0[path] = nil }
    // Closing the connection ends its transaction too.
    do { try connection?.execute("ROLLBACK") } catch { connection = nil }
  }

  /// Keeps the write-ahead log unchanged when the connection is closed.
  func keepLogWhenClosed() {
    // Fails only if the connection is closed.
    try? connection?.keepLogWhenClosed()
  }

  /// How long to try without a pause.
  private static var attempt: Duration { .milliseconds(2) }
  /// How long to try to take the lock.
  private static var timeout: Duration { .milliseconds(250) }
}
