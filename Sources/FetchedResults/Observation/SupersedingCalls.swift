/// A later call supersedes a piece of work.
enum Superseded: Error {
  /// Another request was set, or is to be set.
  case byRequest
  /// A later fetch has begun.
  case byFetch
}

/// The calls of one kind that have not ended. A later call supersedes an earlier one, which then ends as the later one
/// does: its task was not cancelled. A call that is cancelled supersedes none: those before it end as the latest of the
/// others.
///
/// Not Sendable: it belongs to the actor of its provider.
final class SupersedingCalls<Value: Sendable> {
  /// A call, from its beginning to its end.
  final class Call {
    fileprivate var result: Result<Value, any Error>?
    fileprivate var waiting: [CheckedContinuation<Result<Value, any Error>, Never>] = []

    fileprivate var wasCancelled: Bool {
      if case .failure(is CancellationError) = result { true } else { false }
    }
  }

  /// The calls in the order in which they began, without those that were cancelled. The first has not ended; later ones that
  /// have are kept for those before them.
  private var calls: [Call] = []

  /// Begins a call, which supersedes all that have not ended.
  func begin() -> Call {
    let call = Call()
    calls.append(call)
    return call
  }

  /// Ends a call, and those that it has superseded.
  func end(_ call: Call, with result: Result<Value, any Error>) {
    call.result = result
    if call.wasCancelled { calls.removeAll { $0 === call } }
    // Nobody waits for what has ended before all others.
    calls.removeFirst(calls.prefix { $0.result != nil }.count)
    for continuation in call.waiting { continuation.resume(returning: result) }
    call.waiting = []
  }

  /// Ends all calls that have not ended, as soon as they notice that they are superseded.
  func supersede(by value: Value) {
    guard !calls.isEmpty else { return }
    let call = Call()
    call.result = .success(value)
    calls.append(call)
  }

  /// Makes a call: does its work, or waits for the call that supersedes it, and ends as that one does.
  ///
  /// - Parameter attempt: does the work. It returns nil if the work was superseded, and is called again if the other call
  ///   was cancelled.
  /// - Throws: what `attempt` or the later call throws; `CancellationError` if the task was cancelled.
  func run(
    isolation: isolated (any Actor)? = #isolation,
    _ attempt: nonisolated(nonsending) () async throws -> Value?
  ) async throws -> Value {
    let call = begin()
    let result: Result<Value, any Error>
    do {
      result = .success(try await self.result(of: call, attempt))
    } catch {
      result = .failure(error)
    }
    end(call, with: result)
    return try result.get()
  }

  private func result(
    of call: Call, isolation: isolated (any Actor)? = #isolation,
    _ attempt: nonisolated(nonsending) () async throws -> Value?
  ) async throws -> Value {
    while true {
      if let later = await successor(of: call) {
        try Task.checkCancellation()
        return try later.get()
      }
      if let value = try await attempt() { return value }
    }
  }

  /// Waits for the end of the call that supersedes the given one.
  ///
  /// - Returns: its result; nil if the given call is the latest, or all later ones were cancelled.
  func successor(
    of call: Call, isolation: isolated (any Actor)? = #isolation
  ) async -> Result<Value, any Error>? {
    while let later = calls.last, later !== call {
      let result =
        if let result = later.result { result } else {
          await withCheckedContinuation { later.waiting.append($0) }
        }
      guard case .failure(is CancellationError) = result else { return result }
    }
    return nil
  }
}
