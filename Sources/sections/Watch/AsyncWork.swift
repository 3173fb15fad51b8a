internal import SQLiteStorage

import Dispatch

/// Work of Swift's concurrency for a command that is not part of it.
enum AsyncWork {
  private final class Outcome: Sendable {
    let result = Guarded<Result<Void, any Error>?>(nil)
  }

  /// Runs `body` on other threads and returns when it has ended. `^C` cancels it.
  static func runToEnd(_ body: @escaping @Sendable () async throws -> Void) throws {
    reserveTimer()
    let outcome = Outcome()
    // A semaphore and not a group: the thread sanitizer keeps signals from a thread that waits for one.
    let end = DispatchSemaphore(value: 0)
    let task = Task.detached {
      let result: Result<Void, any Error>
      do { result = .success(try await body()) } catch { result = .failure(error) }
      outcome.result.withLock { $0 = result }
      end.signal()
    }
    Interruption.onRequest { task.cancel() }
    // The main thread is none of those that tasks run on, and nothing here runs on the main actor:
    // so nobody waits for the one who waits.
    end.wait()
    try outcome.result.withLock { $0 }?.get()
  }
  /// Makes Dispatch set up its timer, for which it needs a descriptor: it traps if it needs the first
  /// timer when the files have taken the last descriptor.
  private static func reserveTimer() {
    let isSetUp = DispatchSemaphore(value: 0)
    DispatchQueue(label: "sections.timer").asyncAfter(deadline: .now() + .milliseconds(1)) {
      isSetUp.signal()
    }
    // Without any descriptor it never comes. Then the files cannot be opened either, and say so.
    _ = isSetUp.wait(timeout: .now() + .milliseconds(200))
  }
}
