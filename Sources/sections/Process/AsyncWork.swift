import Dispatch
import SQLiteStorage

/// Runs asynchronous work for a command that is not asynchronous.
enum AsyncWork {
  /// Runs `body` on other threads and returns when it has ended. `^C` cancels it.
  static func runToEnd(_ body: @escaping @Sendable () async throws -> Void) throws {
    reserveTimer()
    let outcome = Locked<Result<Void, any Error>?>(nil)
    // Not a group: the thread sanitizer withholds signals from a thread that waits for a group.
    let end = DispatchSemaphore(value: 0)
    let task = Task.detached {
      let result: Result<Void, any Error>
      do { result = .success(try await body()) } catch { result = .failure(error) }
      outcome.withLock { $0 = result }
      end.signal()
    }
    Interruption.onRequest { task.cancel() }
    // No deadlock: tasks do not run on the main thread, and nothing here runs on the main actor.
    end.wait()
    try outcome.withLock { $0 }?.get()
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
