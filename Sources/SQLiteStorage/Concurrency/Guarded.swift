internal import Synchronization

/// Something that is not Sendable, used by one thread at a time.
///
/// `@unchecked Sendable`: `content` is touched only with `lock` held. `Mutex` itself cannot hold
/// it, because its closures must return values that are not connected to what it protects, and a
/// closure that works on a ``Connection`` returns what it likes.
final class Guarded<Content>: @unchecked Sendable {
  private let lock = Mutex<Void>(())
  private var content: Content

  init(_ content: Content) { self.content = content }

  /// Runs `body` with the content, after waiting for others to be done with it.
  func withLock<Result, Failure: Error>(
    _ body: (inout Content) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var result: Result?
    try lock.withLock { (_: inout Void) throws(Failure) in result = try body(&content) }
    return result.unsafelyUnwrapped  // Set above, or an error was thrown.
  }

  /// Runs `body` with the content, or returns nil at once where somebody is using it.
  func withLockIfAvailable<Result, Failure: Error>(
    _ body: (inout Content) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    var result: Result?
    _ = try lock.withLockIfAvailable { (_: inout Void) throws(Failure) in
      result = try body(&content)
    }
    return result
  }
}
