#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Content that is used by one thread at a time.
///
/// The lock is a POSIX mutex and not `Mutex` for two reasons: the thread sanitizer does not know
/// `Mutex`, and reports a data race for content that it protects. And `Mutex` could not protect a
/// database connection, since its closures must return values that are not connected to the content.
///
/// `@unchecked Sendable`: `content` is protected by `mutex`.
package final class Locked<Content>: @unchecked Sendable {
  // At a fixed address, as POSIX requires.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var content: Content

  package init(_ content: Content) {
    self.content = content
    mutex = .allocate(capacity: 1)
    var attributes = pthread_mutexattr_t()
    // None of these calls fails with these arguments.
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_settype(&attributes, CInt(PTHREAD_MUTEX_ERRORCHECK))
    pthread_mutex_init(mutex, &attributes)
    pthread_mutexattr_destroy(&attributes)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Waits for the lock and runs `body` with the content.
  ///
  /// Traps if called in a `body` of the same lock, which would be a deadlock.
  package func withLock<Result, Failure: Error>(
    _ body: (inout Content) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body(&content)
  }

  /// Waits for the lock and keeps it until the same thread unlocks it, in another call from C.
  package func lock() {
    guard pthread_mutex_lock(mutex) == 0 else {
      fatalError("withLock was called inside withLock of the same \(Content.self): a deadlock")
    }
  }

  /// Gives up the lock that this thread keeps.
  package func unlock() { pthread_mutex_unlock(mutex) }

  /// Runs `body` with the content; returns nil at once if the lock is in use.
  package func withLockIfAvailable<Result, Failure: Error>(
    _ body: (inout Content) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    guard pthread_mutex_trylock(mutex) == 0 else { return nil }
    defer { unlock() }
    return try body(&content)
  }
}

/// A reference that does not keep its object alive, as an element of a collection.
package struct Weak<Object: AnyObject> {
  /// Nil after the object is released.
  package private(set) weak var object: Object?

  package init(_ object: Object) { self.object = object }
}

extension Weak: Sendable where Object: Sendable {}
