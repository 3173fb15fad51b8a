import Dispatch
import SQLiteStorage
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// `^C`: stops what the database is doing, so that the tool ends by its own way out and leaves
/// nothing behind.
enum Interruption {
  /// Thrown where the user wants out.
  struct Error: Swift.Error {}

  private struct State: Sendable {
    var isRequested = false
    /// Weak, since a database tidies up when it goes.
    weak var database: Database?
  }

  private static let state = Mutex(State())

  /// Listens to SIGINT, SIGTERM and SIGHUP while `body` runs.
  static func listening(_ body: () -> Void) {
    let queue = DispatchQueue(label: "sections.interruption")
    let sources = [SIGINT, SIGTERM, SIGHUP].compactMap { source(of: $0, on: queue) }
    body()
    for source in sources { source.cancel() }
    // A handler may be holding the database for a moment.
    queue.sync {}
  }

  /// Says which database to stop.
  static func watch(_ database: Database) { state.withLock { $0.database = database } }

  /// Throws where the user wants out: to be called now and then in long work outside of SQLite.
  static func check() throws {
    if state.withLock({ $0.isRequested }) { throw Error() }
  }

  private static func source(
    of number: Int32, on queue: DispatchQueue
  ) -> (any DispatchSourceSignal)? {
    let before = signal(number, SIG_IGN)
    // Who started the tool wants it to live on, as nohup does.
    if isIgnored(before) { return nil }
    let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
    source.setEventHandler { request(on: queue) }
    source.resume()
    return source
  }

  private static func request(on queue: DispatchQueue) {
    let mustEnd = state.withLock { state in
      defer { state.isRequested = true }
      // Who asks twice does not want to wait for a clean end, and without a database there is
      // nothing to clean.
      return state.isRequested || state.database == nil
    }
    if mustEnd { _exit(ExitStatus.interrupted.rawValue) }
    interruptRepeatedly(on: queue)
  }

  /// SQLite forgets an interrupt that comes between two statements, so once is not enough.
  private static func interruptRepeatedly(on queue: DispatchQueue) {
    state.withLock { $0.database }?.interrupt()
    queue.asyncAfter(deadline: .now() + .milliseconds(50)) { interruptRepeatedly(on: queue) }
  }
}

/// Whether a handler is `SIG_IGN`. Functions do not compare, their addresses do.
private func isIgnored(_ handler: sighandler_t?) -> Bool {
  unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN as sighandler_t?, to: Int.self)
}
