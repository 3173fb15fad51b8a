#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The lock that prevents a version from being pinned during a commit of the writer.
///
/// It is locked in one C callback and unlocked in another, on the same thread. So it cannot be a
/// `Mutex`, which is locked for a closure only.
///
/// `@unchecked Sendable`: the pointer never changes and points to a lock.
final class CommitLock: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  init() {
    mutex.initialize(to: pthread_mutex_t())
    // Fails only for invalid attributes, and none are given.
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func lock() { pthread_mutex_lock(mutex) }

  func unlock() { pthread_mutex_unlock(mutex) }

  /// Runs `body` while no commit of the writer is in progress.
  func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock()
    defer { unlock() }
    return try body()
  }
}
