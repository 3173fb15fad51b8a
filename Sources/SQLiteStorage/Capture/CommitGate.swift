#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The lock that keeps the writer's commits and the pinning of versions apart.
///
/// It is taken in one C callback and released in another, on the same thread, so it cannot be a
/// `Mutex`, which knows only closures.
///
/// `@unchecked Sendable`: the pointer never changes, and what it points to is a lock.
final class CommitGate: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  init() {
    mutex.initialize(to: pthread_mutex_t())
    // It fails only for attributes that were not given.
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func close() { pthread_mutex_lock(mutex) }

  func open() { pthread_mutex_unlock(mutex) }

  /// Runs `body` while no commit of the writer is under way.
  func withGateClosed<Result>(_ body: () throws -> Result) rethrows -> Result {
    close()
    defer { open() }
    return try body()
  }
}
