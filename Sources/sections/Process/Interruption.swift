import CLibrary
import Dispatch
import RowQueries
import SQLiteStorage

/// Handles `^C` and similar signals: interrupts the work of the databases, so that the tool ends
/// normally and removes its temporary files.
enum Interruption {
  /// Thrown after a signal has requested the end of the tool.
  struct Error: Swift.Error {}

  private struct State: Sendable {
    /// The first signal that was received.
    var signal: Int32?
    var openCount = 0
    /// Weak, since a database cleans up when it is released.
    var databases: [Weak<Database>] = []
    var onRequest: (@Sendable () -> Void)?
    var onAbort: (@Sendable () -> Void)?

    var isRequested: Bool { signal != nil }
    var isWatching: Bool { databases.contains { $0.object != nil } }
  }

  private static let state = Locked(State())

  /// Listens for SIGINT, SIGTERM and SIGHUP while `body` runs.
  static func listening(_ body: () -> Void) {
    let queue = DispatchQueue(label: "sections.interruption")
    let registration = DispatchGroup()
    let sources = [SIGINT, SIGTERM, SIGHUP].compactMap { number in
      source(of: number, on: queue, registration)
    }
    // A source is registered some time after it is resumed, and a signal in between is lost.
    _ = registration.wait(timeout: .now() + .seconds(1))
    body()
    for source in sources { source.cancel() }
    // A handler may briefly hold a strong reference to the database.
    queue.sync {}
  }

  /// Opens a database whose work a signal interrupts, in addition to those opened before.
  static func watch(_ open: () throws -> Database) rethrows -> Database {
    // Its temporary files exist from the start, but it can remove them only when it is open.
    state.withLock { $0.openCount += 1 }
    defer { state.withLock { $0.openCount -= 1 } }
    let database = try open()
    state.withLock { state in
      state.databases.removeAll { $0.object == nil }
      state.databases.append(Weak(database))
    }
    return database
  }

  /// Sets an action for a signal, to wake code that does not wait for a database.
  static func onRequest(_ action: @escaping @Sendable () -> Void) {
    let isRequested = state.withLock { state in
      state.onRequest = action
      return state.isRequested
    }
    if isRequested { action() }
  }

  /// Sets an action to run before the tool is aborted; nil for none.
  static func onAbort(_ action: (@Sendable () -> Void)?) { state.withLock { $0.onAbort = action } }

  /// Throws if a signal was received. Called regularly in long work outside of SQLite.
  static func check() throws {
    if state.withLock({ $0.isRequested }) { throw Error() }
  }

  /// Runs some work until the first piece of it ends, and cancels the rest.
  ///
  /// - Throws: `Error` after a signal, which ends the work with errors of its own; else what the work throws.
  static func runUntilOneEnds(_ work: [@Sendable () async throws -> Void]) async throws {
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for piece in work { group.addTask { try await piece() } }
        defer { group.cancelAll() }
        try await group.next()
      }
    } catch {
      // An interrupted statement is an error as well, but not the one to report.
      try check()
      throw error
    }
    try check()
  }

  /// The exit status after a signal, by convention: 128 plus the number of the signal.
  static var status: ExitStatus {
    state.withLock { $0.signal }.flatMap { ExitStatus(rawValue: 128 + $0) } ?? .interrupted
  }

  private static func source(
    of number: Int32, on queue: DispatchQueue, _ registration: DispatchGroup
  ) -> (any DispatchSourceSignal)? {
    let before = signal(number, SIG_IGN)
    // The tool was started to ignore the signal, as nohup does.
    if isIgnored(before) { return nil }
    let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
    source.setEventHandler { request(by: number, on: queue) }
    registration.enter()
    source.setRegistrationHandler { registration.leave() }
    source.resume()
    return source
  }

  private static func request(by signal: Int32, on queue: DispatchQueue) {
    let (mustEnd, action) = state.withLock { state in
      defer { state.signal = state.signal ?? signal }
      // A second signal does not wait for the clean-up, and without a database there is nothing to
      // clean up.
      let mustEnd = state.isRequested || !state.isWatching && state.openCount == 0
      return (mustEnd, mustEnd ? nil : state.onRequest)
    }
    if mustEnd { abort() }
    action?()
    interruptRepeatedly(on: queue)
  }

  private static func abort() -> Never {
    state.withLock { $0.onAbort }?()
    Console.endLineOfInterrupt()
    _exit(status.rawValue)
  }

  /// SQLite ignores an interrupt between two statements, so one call is not enough.
  private static func interruptRepeatedly(on queue: DispatchQueue, round: Int = 0) {
    let (databases, openCount) = state.withLock { ($0.databases, $0.openCount) }
    // Opening takes this long only if it waits for another connection's lock, and a write only if the
    // output is not read.
    if openCount > 0 && round == 40 || OutputBuffer.timeInWrite > .milliseconds(500) { abort() }
    for database in databases { database.object?.interrupt() }
    queue.asyncAfter(deadline: .now() + .milliseconds(50)) {
      interruptRepeatedly(on: queue, round: round + 1)
    }
  }
}

private typealias SignalHandler = @convention(c) (Int32) -> Void

/// Whether a handler is `SIG_IGN`. Functions cannot be compared, their addresses can.
private func isIgnored(_ handler: SignalHandler?) -> Bool {
  unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN as SignalHandler?, to: Int.self)
}
