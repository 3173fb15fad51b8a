import Dispatch
import SQLiteStorage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Runs asynchronous work for a command that is not asynchronous.
enum AsyncWork {
  private final class Outcome: Sendable {
    let result = Locked<Result<Void, any Error>?>(nil)
  }

  /// Runs `body` on other threads and returns when it has ended. `^C` cancels it.
  static func runToEnd(_ body: @escaping @Sendable () async throws -> Void) throws {
    reserveTimer()
    let outcome = Outcome()
    // Not a group: the thread sanitizer withholds signals from a thread that waits for a group.
    let end = DispatchSemaphore(value: 0)
    let task = Task.detached {
      let result: Result<Void, any Error>
      do { result = .success(try await body()) } catch { result = .failure(error) }
      outcome.result.withLock { $0 = result }
      end.signal()
    }
    Interruption.onRequest { task.cancel() }
    // No deadlock: tasks do not run on the main thread, and nothing here runs on the main actor.
    end.wait()
    try outcome.result.withLock { $0 }?.get()
  }
  /// Makes Dispatch set up its timer, which needs a descriptor. Dispatch traps if it needs its
  /// first timer when no descriptor is left.
  private static func reserveTimer() {
    let isSetUp = DispatchSemaphore(value: 0)
    DispatchQueue(label: "sections.timer").asyncAfter(deadline: .now() + .milliseconds(1)) {
      isSetUp.signal()
    }
    // Without a free descriptor it is never signalled. Then the files cannot be opened either, and
    // that is reported.
    _ = isSetUp.wait(timeout: .now() + .milliseconds(200))
  }
}

/// The reader of the tool's output.
enum OutputReader {
  /// Returns when the reader closes the pipe, or when the task is cancelled. Without changes
  /// nothing is written, so no write would fail.
  ///
  /// The thread that waits ends with the tool.
  static func waitUntilGone() async {
    let (departure, continuation) = AsyncStream.makeStream(of: Void.self)
    DispatchQueue(label: "sections.reader").async {
      // Without a requested event, only errors are reported.
      var descriptor = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      // Zero after the timeout, negative after a signal.
      while poll(&descriptor, 1, patience) <= 0 {}
      continuation.finish()
    }
    for await _ in departure {}
  }

  /// The timeout of one wait, in milliseconds.
  private static var patience: Int32 {
    #if canImport(Darwin)
      // On Darwin the end of a pipe does not wake a poll without a requested event.
      500
    #else
      -1
    #endif
  }
}
