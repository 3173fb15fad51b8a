internal import CLibrary

/// Content that is used by one thread at a time.
///
/// The lock is a POSIX mutex and not `Mutex` for two reasons: the thread sanitizer does not know
/// `Mutex`, and reports a data race for content that it protects. And `Mutex` could not protect a
/// database connection, since its closures must return values that are not connected to the content.
///
/// Its declarations are public because only those are compiled for each use.
///
/// `@unchecked Sendable`: `content` is protected by `mutex`.
public final class Locked<Content>: @unchecked Sendable {
  @usableFromInline let mutex = POSIXMutex()
  @usableFromInline var content: Content

  /// Makes a lock that nobody has.
  @inlinable public init(_ content: Content) { self.content = content }

  deinit { mutex.destroy() }

  /// Waits for the lock and runs `body` with the content.
  ///
  /// Traps if called in a `body` of the same lock, which would be a deadlock.
  @inlinable public func withLock<Result, Failure: Error>(
    _ body: (inout Content) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body(&content)
  }

  /// Waits for the lock and keeps it until the same thread unlocks it, in another call from C.
  @inlinable public func lock() {
    guard mutex.lock() else { POSIXMutex.reportDeadlock(of: Content.self) }
  }

  /// Gives up the lock that this thread keeps.
  @inlinable public func unlock() { mutex.unlock() }

  /// Runs `body` with the content; returns nil at once if the lock is in use.
  @inlinable public func withLockIfAvailable<Result, Failure: Error>(
    _ body: (inout Content) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    guard mutex.tryLock() else { return nil }
    defer { unlock() }
    return try body(&content)
  }
}

/// The content of a ``Locked`` that only lets one thread at a time do something.
///
/// It has a size. The address of content without one is that of something else, and the thread sanitizer reports a race there.
package struct NoContent: Sendable {
  private let byte: UInt8 = 0

  package init() {}
}

/// The mutex of a ``Locked``, without the type of its content.
///
/// `@unchecked Sendable`: POSIX allows its calls on any thread.
@usableFromInline struct POSIXMutex: @unchecked Sendable {
  // At a fixed address, as POSIX requires.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  @usableFromInline init() {
    mutex = .allocate(capacity: 1)
    var attributes = pthread_mutexattr_t()
    // None of these calls fails with these arguments.
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_settype(&attributes, CInt(PTHREAD_MUTEX_ERRORCHECK))
    pthread_mutex_init(mutex, &attributes)
    pthread_mutexattr_destroy(&attributes)
  }

  func destroy() {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Waits for the lock. Returns false if this thread has it.
  @usableFromInline func lock() -> Bool { pthread_mutex_lock(mutex) == 0 }

  @usableFromInline func tryLock() -> Bool { pthread_mutex_trylock(mutex) == 0 }

  @usableFromInline func unlock() { pthread_mutex_unlock(mutex) }

  @usableFromInline static func reportDeadlock(of content: Any.Type) -> Never {
    fatalError("withLock was called inside withLock of the same \(content): a deadlock")
  }
}

/// A reference that does not keep its object alive, as an element of a collection.
package struct Weak<Object: AnyObject> {
  /// Nil after the object is released.
  package private(set) weak var object: Object?

  package init(_ object: Object) { self.object = object }
}

extension Weak: Sendable where Object: Sendable {}
