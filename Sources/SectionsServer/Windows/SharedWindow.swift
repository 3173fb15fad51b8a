import RowQueries
import SQLiteStorage

/// A window that several clients show, and the events that lead from any of its versions to the newest.
///
/// Each event is made once, and all clients get the same bytes. A client that is busy while versions go
/// by gets one event from the version that it has to the newest.
///
/// Sendable: a lock protects the state.
final class SharedWindow: Sendable {
  /// The window in one version.
  struct State: Sendable {
    let version: Int
    let content: WindowContent
  }

  /// Why a waiting client continues.
  enum Wake: Sendable {
    /// An event, and what the client shows after it.
    case event([UInt8], State)
    case error([UInt8])
    case comment
    case end
  }

  fileprivate struct Content {
    var state: State
    /// The marks of the last versions, ascending.
    var steps: [(version: Int, marks: [String: RowMark])] = []
    /// The versions before this one are not followed by changes but by all lines.
    var resetVersion = 0
    /// The events that lead to `state`, by the version they start from.
    var events: [Int: [UInt8]] = [:]
    /// The event of the error that prevents a newer version.
    var error: [UInt8]?
    var waiters: [Int: CheckedContinuation<Wake, Never>] = [:]
    var waiterCount = 0
    var clientCount = 0
    var isEnded = false
  }

  private static let longestHistory = 256

  private let content: Locked<Content>
  private let run: RunName

  /// - Parameter error: the event of the error that prevents a newer version.
  init(_ state: State, run: RunName, error: [UInt8]? = nil) {
    self.run = run
    content = Locked(Content(state: state, error: error))
  }

  /// The newest version.
  var state: State { content.withLock { $0.state } }
  /// Whether no client shows it.
  var isUnused: Bool { content.withLock { $0.clientCount == 0 } }

  func addClient() { content.withLock { $0.clientCount += 1 } }
  func removeClient() { content.withLock { $0.clientCount -= 1 } }

  /// Moves to a version.
  ///
  /// - Parameter marks: the rows that it changes; nil if it may have nothing in common with the version
  ///   before.
  func publish(_ state: State, marks: [String: RowMark]?) {
    let old = self.state
    // Outside of the lock, so that clients can ask for other events.
    let event = self.event(from: old, to: state, marks: marks)
    let waiters = content.withLock { content in
      content.state = state
      content.error = nil
      content.events = [old.version: event]
      if let marks {
        content.steps.append((state.version, marks))
        if content.steps.count > Self.longestHistory { content.steps.removeFirst() }
      } else {
        content.steps = []
        content.resetVersion = state.version
      }
      return content.takeWaiters()
    }
    for waiter in waiters { waiter.resume(returning: .event(event, state)) }
  }

  private func event(
    from old: State, to new: State, marks: [String: RowMark]?
  ) -> [UInt8] {
    guard let marks else {
      return WindowEvent.all("reset", new.content, version: run.text(new.version))
    }
    return WindowEvent.changes(
      from: old.content, since: run.text(old.version), to: new.content,
      version: run.text(new.version), marks: marks)
  }

  /// Sends each client the event of an error, once until the next version.
  func report(_ error: [UInt8]) {
    let waiters = content.withLock { content -> [CheckedContinuation<Wake, Never>] in
      guard content.error != error else { return [] }
      content.error = error
      return content.takeWaiters()
    }
    for waiter in waiters { waiter.resume(returning: .error(error)) }
  }

  /// Wakes the clients that wait, with a comment or the end.
  func wake(with wake: Wake) {
    let waiters = content.withLock { content in
      if case .end = wake { content.isEnded = true }
      return content.takeWaiters()
    }
    for waiter in waiters { waiter.resume(returning: wake) }
  }

  /// Waits for a version after the one that a client shows, or for an error.
  ///
  /// - Parameter error: the event of the error that the client shows.
  func next(after shown: State, error: [UInt8]?) async -> Wake {
    let id = content.withLock { content in
      content.waiterCount += 1
      return content.waiterCount
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let wake = content.withLock { content -> Wake? in
          if content.isEnded || Task.isCancelled { return .end }
          if content.state.version != shown.version {
            return .event(event(from: shown, in: &content), content.state)
          }
          if let newError = content.error, newError != error { return .error(newError) }
          content.waiters[id] = continuation
          return nil
        }
        if let wake { continuation.resume(returning: wake) }
      }
    } onCancel: {
      content.withLock { $0.waiters.removeValue(forKey: id) }?.resume(returning: .end)
    }
  }

  /// The event that leads from an older version to the newest, which all clients of the older one share.
  private func event(from old: State, in content: inout Content) -> [UInt8] {
    if let event = content.events[old.version] { return event }
    var marks: [String: RowMark]?
    if old.version >= content.resetVersion {
      marks = content.steps.reduce(into: [:]) { marks, step in
        guard step.version > old.version else { return }
        marks.merge(step.marks, uniquingKeysWith: RowMark.combined)
      }
    }
    let event = event(from: old, to: content.state, marks: marks)
    content.events[old.version] = event
    return event
  }
}

extension SharedWindow.Content {
  fileprivate mutating func takeWaiters() -> [CheckedContinuation<SharedWindow.Wake, Never>] {
    defer { waiters = [:] }
    return Array(waiters.values)
  }
}

/// The name of one run of the server, with which the names of its versions begin.
struct RunName: Sendable {
  let name: String

  init() { name = String(UInt32.random(in: .min ... .max), radix: 36) }

  func text(_ version: Int) -> String { "\(name).\(version)" }

  /// The number of a version; nil if it is not of this run.
  func version(_ text: String) -> Int? {
    let parts = text.split(separator: ".")
    guard parts.count == 2, parts[0] == name else { return nil }
    return Int(parts[1])
  }
}
