#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Something that one thread at a time uses.
///
/// A lock of the system's thread library and not `Mutex`: the thread sanitizer knows what the one
/// orders, and takes data behind the other for a race. And `Mutex` could not hold a ``Connection``,
/// since its closures must return values that are not connected to what it protects.
///
/// `@unchecked Sendable`: `content` is touched only with `lock` held.
package final class Guarded<Content>: @unchecked Sendable {
  // Never moved, as the thread library asks.
  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  private var content: Content

  package init(_ content: Content) {
    self.content = content
    lock = .allocate(capacity: 1)
    var attributes = pthread_mutexattr_t()
    // None of these calls can fail with these arguments.
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_settype(&attributes, CInt(PTHREAD_MUTEX_ERRORCHECK))
    pthread_mutex_init(lock, &attributes)
    pthread_mutexattr_destroy(&attributes)
  }

  deinit {
    pthread_mutex_destroy(lock)
    lock.deallocate()
  }

  /// Runs `body` with the content, after waiting for others to be done with it.
  ///
  /// Called by a `body` of the same lock it traps: waiting for itself would never end.
  package func withLock<Result, Failure: Error>(
    _ body: (inout Content) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard pthread_mutex_lock(lock) == 0 else {
      fatalError("\(Content.self) is used again by who is using it")
    }
    defer { pthread_mutex_unlock(lock) }
    return try body(&content)
  }

  /// Runs `body` with the content, or returns nil at once where somebody is using it.
  package func withLockIfAvailable<Result, Failure: Error>(
    _ body: (inout Content) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    guard pthread_mutex_trylock(lock) == 0 else { return nil }
    defer { pthread_mutex_unlock(lock) }
    return try body(&content)
  }
}
