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

/// `^C`: stops what the databases are doing, so that the tool ends by its own way out and leaves
/// nothing behind.
enum Interruption {
  /// Thrown where the user wants out.
  struct Error: Swift.Error {}

  private struct State: Sendable {
    var isRequested = false
    var database: Database?
  }

  private static let state = Mutex(State())

  /// Listens to SIGINT and SIGTERM while `body` runs.
  static func listening(_ body: () -> Void) {
    let sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { request() }
      source.resume()
      return source
    }
    // A source that goes stops to listen.
    withExtendedLifetime(sources, body)
  }

  /// Says which database to stop.
  static func watch(_ database: Database) { state.withLock { $0.database = database } }

  /// Throws where the user wants out: to be called now and then in long work outside of SQLite.
  static func check() throws {
    if state.withLock({ $0.isRequested }) { throw Error() }
  }

  private static func request() {
    let (isSecond, database) = state.withLock { state in
      defer { state.isRequested = true }
      return (state.isRequested, state.database)
    }
    // Somebody who asks twice does not want to wait for a clean end.
    if isSecond { _exit(ExitStatus.interrupted.rawValue) }
    database?.interrupt()
  }
}
