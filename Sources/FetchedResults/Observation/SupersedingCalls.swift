/// A later call supersedes a piece of work.
enum Superseded: Error {
  /// Another request was set, or is to be set.
  case byRequest
  /// A later fetch has begun.
  case byFetch
}

/// The calls of one kind that have not ended. A later call supersedes an earlier one, which then ends as the later one
/// does: its task was not cancelled.
///
/// Not Sendable: it belongs to the actor of its provider.
final class SupersedingCalls<Value: Sendable> {
  /// A call, from its beginning to its end.
  final class Call {
    fileprivate var result: Result<Value, any Error>?
    fileprivate var waiting: [CheckedContinuation<Result<Value, any Error>, Never>] = []
  }

  /// The latest call; nil if all have ended.
  private var latest: Call?
  private var runningCount = 0

  /// Begins a call, which supersedes all that have not ended.
  func begin() -> Call {
    let call = Call()
    latest = call
    runningCount += 1
    return call
  }

  /// Ends a call, and those that it has superseded.
  func end(_ call: Call, with result: Result<Value, any Error>) {
    call.result = result
    for continuation in call.waiting { continuation.resume(returning: result) }
    call.waiting = []
    runningCount -= 1
    // Nobody needs the result of the latest call any more.
    if runningCount == 0 { latest = nil }
  }

  /// Ends all calls that have not ended, as soon as they notice that they are superseded.
  func supersede(by value: Value) {
    guard runningCount > 0 else { return }
    let call = Call()
    call.result = .success(value)
    latest = call
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
  /// - Returns: its result; nil if it was cancelled, and the given call is the latest again.
  func successor(
    of call: Call, isolation: isolated (any Actor)? = #isolation
  ) async -> Result<Value, any Error>? {
    while let later = latest, later !== call {
      let result =
        if let result = later.result { result } else {
          await withCheckedContinuation { later.waiting.append($0) }
        }
      guard case .failure(is CancellationError) = result else { return result }
      if latest === later { latest = call }
    }
    return nil
  }
}
