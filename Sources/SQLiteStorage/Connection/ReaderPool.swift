internal import Dispatch

/// A pool of connections for reading. A connection is used by one reader at a time and then kept
/// for the next.
final class ReaderPool: Sendable {
  private struct State {
    var idle: [Connection] = []
    /// The maximum number of idle connections.
    var limit: Int
    /// Whether no more connections are given out.
    var isClosed = false
  }

  private let open: @Sendable () throws -> Connection
  private let state: Locked<State>

  /// - Parameter limit: the maximum number of idle connections. Further ones are closed after use.
  init(limit: Int = ReaderPool.idleLimit, opening open: @escaping @Sendable () throws -> Connection)
  {
    self.open = open
    state = Locked(State(limit: limit))
  }

  /// Returns a connection without a transaction, for exclusive use by the caller.
  func take() throws -> Connection {
    let idle = try state.withLock { state -> Connection? in
      guard !state.isClosed else {
        throw DatabaseError.closedMeanwhile
      }
      return state.idle.popLast()
    }
    return try idle ?? open()
  }

  /// Returns a connection to the pool. A private copy, or a connection that cannot be reset or
  /// exceeds the limit, is closed.
  func checkIn(_ connection: Connection) {
    // A copy is of one version only. It is removed when its connection is closed.
    guard !connection.isPrivateCopy else { return }
    do {
      try connection.resetForReuse()
    } catch {
      return  // The connection is closed, which ends its transaction.
    }
    state.withLock { if $0.idle.count < $0.limit { $0.idle.append(connection) } }
  }

  /// Whether a connection stays open after its use.
  var keepsIdle: Bool { state.withLock { $0.limit > 0 } }

  /// Closes the idle connections, and from now on each connection after its use.
  ///
  /// - Parameter isEnd: whether no more connections are given out.
  func closeIdle(isEnd: Bool = false) {
    let closed = state.withLock { state in
      defer { state = State(limit: 0, isClosed: isEnd) }
      return state.idle
    }
    withExtendedLifetime(closed) {}
  }

  /// Checks that the idle connections are not too many, differ, and are in no transaction.
  func checkInvariants() throws {
    try state.withLock { state in
      let idle = state.idle
      try BrokenInvariant.check(
        idle.count <= state.limit, "\(idle.count) of \(state.limit) idle connections")
      try BrokenInvariant.check(
        Set(idle.map(ObjectIdentifier.init)).count == idle.count, "a connection is idle twice")
      try BrokenInvariant.check(
        !idle.contains { $0.isInTransaction }, "an idle connection is in a transaction")
    }
  }

  /// The usual maximum number of idle connections.
  static var idleLimit: Int { 4 }
}

/// A queue for work that reads: a limited number runs at once, the others wait in order.
///
/// A query may take long and never suspends, so it must not run on Swift's cooperative threads.
/// There are no more of those than cores: a few queries would block every task of the process, even
/// one that is to cancel them.
package final class ReadQueue: Sendable {
  private struct State {
    var waiting: [@Sendable () -> Void] = []
    var runningCount = 0
  }

  private let limit: Int
  private let threads: ReadQueue?
  private let state = Locked(State())

  /// - Parameters:
  ///   - limit: the maximum number of reads at once.
  ///   - threads: the queue on whose threads they run; nil for threads of their own.
  package init(limit: Int, on threads: ReadQueue? = nil) {
    self.limit = limit
    self.threads = threads
  }

  /// Runs `work` as soon as fewer than `limit` reads run.
  package func async(_ work: @escaping @Sendable () -> Void) {
    let mayBegin = state.withLock { state in
      state.waiting.append(work)
      guard state.runningCount < limit else { return false }
      state.runningCount += 1
      return true
    }
    guard mayBegin else { return }
    guard let threads else {
      // A serial queue always gets a thread. Concurrent queues share as many threads as there are
      // cores, on some systems with Swift's tasks.
      return DispatchQueue(label: "FetchedResults.Reader").async { self.run() }
    }
    threads.async { self.run() }
  }

  /// Does all that is waiting: with a thread for each piece of work, they would take turns. On the threads of another queue,
  /// what is added meanwhile waits until the other queues have had theirs.
  private func run() {
    var count = threads == nil ? Int.max : state.withLock { $0.waiting.count }
    while let next = takeNext() {
      if count == 0, let threads {
        return threads.async {
          next()
          self.run()
        }
      }
      next()
      count -= 1
    }
  }

  /// Checks that no more reads run than allowed, and that those that wait have a thread or need one.
  func checkInvariants() throws {
    try state.withLock { state in
      try BrokenInvariant.check(
        (0...limit).contains(state.runningCount), "\(state.runningCount) of \(limit) reads run")
      try BrokenInvariant.check(
        state.waiting.count <= state.runningCount || state.runningCount == limit,
        "\(state.waiting.count) reads wait while \(state.runningCount) of \(limit) run")
    }
  }

  private func takeNext() -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.runningCount -= 1
        return nil
      }
      return state.waiting.removeFirst()
    }
  }
}
