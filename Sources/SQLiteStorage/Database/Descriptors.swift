#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The file descriptors of the process.
///
/// Dispatch opens files of its own now and then, to count the threads that run, and traps if it
/// cannot. So the last descriptors are left to it: whatever stays open is opened only if more are free.
enum Descriptors {
  /// Checks that a connection can be opened: with a database, its log, their index and a journal.
  ///
  /// - Throws: `DatabaseError` with `.cannotOpen`.
  static func check(forOpening path: String) throws {
    guard !areFree(4 + spare) else { return }
    throw DatabaseError(
      .sqlite, "too many files are open in this process: \(path)", resultCode: .cannotOpen,
      nextStep: "Close some, or raise the limit (ulimit -n)")
  }

  /// Whether one more can stay open.
  static var isOneFree: Bool { areFree(1 + spare) }

  /// Whether so many descriptors are free. None is taken to find out.
  private static func areFree(_ count: Int) -> Bool {
    var free = 0
    for descriptor in 0..<getdtablesize() where fcntl(descriptor, F_GETFD) < 0 {
      free += 1
      if free == count { return true }
    }
    return false
  }

  /// How many are left to others.
  private static let spare = 2
}
