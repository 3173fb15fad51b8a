internal import CLibrary
internal import Foundation
internal import SQLiteStorage

/// A program that runs beside a test, and is killed where the test lets go of it before its end.
///
/// ```swift
/// let sort = try SpawnedProcess("/usr/bin/sort", ["-n"], input: .file(input), output: .file(output))
/// #expect(await sort.end() == 0)
/// ```
///
/// The system's own interface and not Foundation's `Process`, which on Linux reads past the end of a
/// buffer when it starts a program (Swift 6.3): seldom that ends the tests, and always under the
/// address sanitizer.
package final class SpawnedProcess: Sendable {
  /// Also held by the thread that waits for the end.
  private let course: Course

  /// Starts a program as a shell starts it: with no signal ignored or held back, and with nothing
  /// open but its three streams.
  ///
  /// - Parameters:
  ///   - executable: the path of its file.
  ///   - environment: its variables; those of the tests where there are none given.
  ///   - directory: where it is run; where the tests are run if none is given.
  package init(
    _ executable: String, _ arguments: [String], environment: [String: String]? = nil,
    in directory: String? = nil, input: Input = .nothing, output: Output = .nowhere,
    errors: Output = .inherited
  ) throws {
    // The end of what is read comes when nobody has the other end open any more.
    defer { for pipe in [output, errors] { pipe.closeChildEnd() } }
    defer { input.closeChildEnd() }
    let launch = Launch(
      executable: executable, arguments: arguments,
      environment: environment ?? ProcessInfo.processInfo.environment, directory: directory,
      input: input, output: output, errors: errors)
    let course = Course(identifier: try launch.start())
    self.course = course
    // No other way is there on all systems, and a test's thread must not be kept from running.
    Thread.detachNewThread { course.follow() }
  }

  deinit { send(SIGKILL) }

  /// Sends a signal; nothing happens after the end.
  package func send(_ signal: Int32) { course.send(signal) }

  /// Stops the process, and returns when all its threads have stopped.
  package func stop() { course.stop() }

  /// Waits for the end, without keeping a thread. Where the task is cancelled, as by a test's time
  /// limit, the process is killed.
  ///
  /// - Returns: the exit status, as the shell tells it: 128 and its number for a signal.
  package func end() async -> Int32 {
    await withTaskCancellationHandler {
      await withCheckedContinuation { course.whenEnded($0) }
    } onCancel: {
      send(SIGKILL)
    }
  }
}

/// A process from its start to its end.
private final class Course: Sendable {
  private enum State {
    case running(waiting: [CheckedContinuation<Int32, Never>])
    case ended(status: Int32)
  }

  private let identifier: pid_t
  private let state = Locked(State.running(waiting: []))

  init(identifier: pid_t) { self.identifier = identifier }

  /// Waits for the end, and tells it.
  func follow() {
    // It is still there afterwards: its number goes to nobody else before no signal can be sent to it
    // any more.
    var information = siginfo_t()
    while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
    let (status, waiting) = state.withLock { state in
      var end: Int32 = 0
      while waitpid(identifier, &end, 0) == -1, errno == EINTR {}
      let signal = end & 0x7F
      let status = signal == 0 ? (end >> 8) & 0xFF : 128 + signal
      guard case .running(let waiting) = state else { preconditionFailure("it ended twice") }
      state = .ended(status: status)
      return (status, waiting)
    }
    for waiting in waiting { waiting.resume(returning: status) }
  }

  func send(_ signal: Int32) {
    state.withLock { state in
      if case .running = state { kill(identifier, signal) }
    }
  }

  func stop() {
    send(SIGSTOP)
    // A thread that runs goes on for a while after the signal was sent. Reports an end too, if the
    // process ends instead.
    var information = siginfo_t()
    let events = WSTOPPED | WEXITED | WNOWAIT
    while waitid(P_PID, id_t(identifier), &information, events) == -1, errno == EINTR {}
  }

  func whenEnded(_ continuation: CheckedContinuation<Int32, Never>) {
    let status: Int32? = state.withLock { state in
      switch state {
      case .ended(let status): return status
      case .running(let waiting):
        state = .running(waiting: waiting + [continuation])
        return nil
      }
    }
    if let status { continuation.resume(returning: status) }
  }
}
