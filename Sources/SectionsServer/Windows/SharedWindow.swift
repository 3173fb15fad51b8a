import RowQueries
import SQLiteStorage

/// A window that several clients show, in the newest version, and the events that lead there.
///
/// Each event is made once, and all clients get the same bytes. A client that is busy while versions go
/// by gets one event from the version that it has to the newest.
///
/// Sendable: a lock protects the state.
final class SharedWindow: Sendable {
  /// The window in one version.
  struct State: Sendable {
    let version: Int
    /// The versions before this one may have nothing in common with it.
    let firstComparable: Int
    let content: WindowContent
  }

  /// What a client has: a state of this window or of another one.
  struct Shown: Sendable {
    let window: SharedWindow
    let state: State
  }

  private struct Content {
    var state: State
    /// The events that lead to `state`, by the version that they start from; nil stands for a client without lines.
    var events: [Int?: [UInt8]] = [:]
    /// The event of the error that prevents a newer version.
    var error: [UInt8]?
    var clients: Set<EventInbox.Sender> = []
  }

  private let content: Locked<Content>
  private let run: RunName

  /// - Parameter error: the event of the error that prevents a newer version.
  init(_ state: State, run: RunName, error: [UInt8]?) {
    self.run = run
    content = Locked(Content(state: state, error: error))
  }

  /// The newest version.
  var state: State { content.withLock { $0.state } }
  /// Whether no client shows it.
  var isUnused: Bool { content.withLock { $0.clients.isEmpty } }

  func add(_ client: EventInbox.Sender) { content.withLock { _ = $0.clients.insert(client) } }
  func remove(_ client: EventInbox.Sender) { content.withLock { _ = $0.clients.remove(client) } }

  /// Moves to a version.
  func publish(_ state: State) {
    notify { content in
      content.state = state
      content.error = nil
      content.events = [:]
      return true
    }
  }

  /// Sends each client the event of an error, once until the next version.
  func report(_ error: [UInt8]) {
    notify { content in
      guard content.error != error else { return false }
      content.error = error
      return true
    }
  }

  /// Ends the connections of the clients.
  func end() { for client in content.withLock({ $0.clients }) { client.end() } }

  /// Tells the clients of a change. They ask for its event when they have sent the one before.
  private func notify(after change: (inout Content) -> Bool) {
    let clients = content.withLock { content in
      change(&content) ? content.clients : []
    }
    for client in clients { client.send() }
  }

  /// What a client is to get next.
  enum News {
    /// The event that leads to a state, and whether an error prevents a newer version.
    case event([UInt8], State, isError: Bool)
    case error([UInt8])
  }

  /// What a client is to get next; nil if it shows the newest version.
  ///
  /// - Parameters:
  ///   - shown: what it has; nil for nothing.
  ///   - isAnswered: whether it has an event after its last move.
  ///   - error: the event of the error that it shows.
  func news(after shown: Shown?, isAnswered: Bool, error: [UInt8]?) -> News? {
    content.withLock { content in
      // Other clients that have the same can only be expected of this window.
      let isShared = shown.map { $0.window === self } ?? true
      let version = shown?.state.version
      if isAnswered, isShared, version == content.state.version {
        guard let newError = content.error, newError != error else { return nil }
        return .error(newError)
      }
      let known = isShared ? content.events[version] : nil
      let event = known ?? Self.event(from: shown?.state, to: content.state, run)
      if isShared { content.events[version] = event }
      return .event(event, content.state, isError: content.error != nil)
    }
  }

  private static func event(from old: State?, to new: State, _ run: RunName) -> [UInt8] {
    guard let old, old.version >= new.firstComparable else {
      return WindowEvent.all(new.content, version: run.text(new.version))
    }
    return WindowEvent.changes(
      from: old.content, since: old.version, to: new.content, version: run.text(new.version))
  }
}

/// The name of one run of the server, with which the names of its versions begin.
struct RunName: Sendable {
  private let name = String(UInt32.random(in: .min ... .max), radix: 36)

  func text(_ version: Int) -> String { "\(name).\(version)" }

  /// The number in a text; nil if it is of another run.
  func number(_ text: String) -> Int? {
    let digits = text.split(separator: ".").last.flatMap { Int($0) }
    return digits.flatMap { self.text($0) == text ? $0 : nil }
  }
}
