import Dispatch
import SQLiteStorage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// `^C` and the signals like it: stops what the database is doing, so that the tool ends by its own
/// way out and leaves nothing behind.
enum Interruption {
  /// Thrown when a signal has asked the tool to end.
  struct Error: Swift.Error {}

  private struct State: Sendable {
    /// The signal that was received first.
    var signal: Int32?
    var openCount = 0
    var databases: [Watched] = []
    var onRequest: (@Sendable () -> Void)?
    var onAbort: (@Sendable () -> Void)?

    var isRequested: Bool { signal != nil }
    var isWatching: Bool { databases.contains { $0.database != nil } }
  }

  private struct Watched: Sendable {
    /// Weak, since a database tidies up when it is released.
    weak var database: Database?
  }

  private static let state = Guarded(State())

  /// Listens to SIGINT, SIGTERM and SIGHUP while `body` runs.
  static func listening(_ body: () -> Void) {
    let queue = DispatchQueue(label: "sections.interruption")
    let sources = [SIGINT, SIGTERM, SIGHUP].compactMap { source(of: $0, on: queue) }
    body()
    for source in sources { source.cancel() }
    // A handler may be holding the database for a moment.
    queue.sync {}
  }

  /// Opens a database that is to be stopped, besides those opened before.
  static func watch(_ open: () throws -> Database) rethrows -> Database {
    // What it leaves behind from the start, it can tidy up only when it is open.
    state.withLock { $0.openCount += 1 }
    defer { state.withLock { $0.openCount -= 1 } }
    let database = try open()
    state.withLock { $0.databases.append(Watched(database: database)) }
    return database
  }

  /// Sets what else to do on a signal: to wake what waits for nothing in a database.
  static func onRequest(_ action: @escaping @Sendable () -> Void) {
    let isRequested = state.withLock { state in
      state.onRequest = action
      return state.isRequested
    }
    if isRequested { action() }
  }

  /// Sets what to do before the tool ends without its own way out, nil for nothing.
  static func onAbort(_ action: (@Sendable () -> Void)?) { state.withLock { $0.onAbort = action } }

  /// Throws after a signal: to be called now and then in long work outside of SQLite.
  static func check() throws {
    if state.withLock({ $0.isRequested }) { throw Error() }
  }

  /// How a tool that was stopped ends, by convention: with 128 and the number of the signal.
  static var status: ExitStatus {
    state.withLock { $0.signal }.flatMap { ExitStatus(rawValue: 128 + $0) } ?? .interrupted
  }

  private static func source(
    of number: Int32, on queue: DispatchQueue
  ) -> (any DispatchSourceSignal)? {
    let before = signal(number, SIG_IGN)
    // The tool was started to ignore it, as nohup does.
    if isIgnored(before) { return nil }
    let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
    source.setEventHandler { request(by: number, on: queue) }
    source.resume()
    return source
  }

  private static func request(by signal: Int32, on queue: DispatchQueue) {
    let (mustEnd, action) = state.withLock { state in
      defer { state.signal = state.signal ?? signal }
      // A second signal does not wait for a clean end, and without a database there is nothing to
      // clean.
      let mustEnd = state.isRequested || !state.isWatching && state.openCount == 0
      return (mustEnd, mustEnd ? nil : state.onRequest)
    }
    if mustEnd { abort() }
    action?()
    interruptRepeatedly(on: queue)
  }

  private static func abort() -> Never {
    state.withLock { $0.onAbort }?()
    Failure.endLineOfInterrupt()
    _exit(status.rawValue)
  }

  /// SQLite forgets an interrupt that comes between two statements, so once is not enough.
  private static func interruptRepeatedly(on queue: DispatchQueue, round: Int = 0) {
    let (databases, openCount) = state.withLock { ($0.databases, $0.openCount) }
    // Opening takes this long only while it waits for another connection's lock.
    if openCount > 0, round == 10 { abort() }
    for watched in databases { watched.database?.interrupt() }
    queue.asyncAfter(deadline: .now() + .milliseconds(50)) {
      interruptRepeatedly(on: queue, round: round + 1)
    }
  }
}

private typealias SignalHandler = @convention(c) (Int32) -> Void

/// Whether a handler is `SIG_IGN`. Functions do not compare, their addresses do.
private func isIgnored(_ handler: SignalHandler?) -> Bool {
  unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN as SignalHandler?, to: Int.self)
}
