internal import CLibrary
internal import SmallFoundation

/// The file descriptors of the process.
///
/// Dispatch opens files to count the running threads, and traps if it cannot. So the last
/// descriptors are left to Dispatch: a file that stays open is opened only if more are free.
package enum Descriptors {
  /// Checks that enough descriptors are free for a connection: for the database, the log, the
  /// WAL-index and a journal.
  ///
  /// - Throws: `DatabaseError` with `.cannotOpen`, caused by `EMFILE`.
  static func check(forOpening path: String) throws {
    guard !areFree(4 + spare) else { return }
    throw DatabaseError(
      .sqlite, "too many files are open in this process: \(path)", resultCode: .cannotOpen,
      nextStep: "Close some, or raise the limit (ulimit -n)", cause: POSIXError(.EMFILE))
  }

  /// Whether one more file can stay open.
  static var isOneFree: Bool { areFree(1 + spare) }

  /// Whether at least `count` descriptors are free. The check takes no descriptor.
  package static func areFree(_ count: Int) -> Bool {
    var free = 0
    for descriptor in 0..<getdtablesize() where fcntl(descriptor, F_GETFD) < 0 {
      free += 1
      if free == count { return true }
    }
    return false
  }

  /// Raises the number of descriptors that the process may have, as far as the system allows, for a
  /// server with many connections.
  ///
  /// - Returns: the number.
  package static func raiseLimit() -> Int {
    var limit = rlimit()
    guard getrlimit(fileLimit, &limit) == 0 else { return Int(getdtablesize()) }
    let raised = min(1 << 16, limit.rlim_max)
    if limit.rlim_cur < raised {
      limit.rlim_cur = raised
      // If it fails, the old limit stays.
      _ = setrlimit(fileLimit, &limit)
    }
    return Int(getdtablesize())
  }

  /// The open descriptors; none if the system does not list them.
  static var open: [Int32] {
    (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd"))?.compactMap { Int32($0) }
      ?? []
  }

  /// A descriptor of the file at a path; nil if this process does not have it open.
  static func open(at path: String) -> Int32? {
    var file = stat()
    guard stat(path, &file) == 0 else { return nil }
    return open.first { isOpen($0, file) }
  }

  /// Whether this process has the file at a path open.
  static func isOpen(_ path: String) -> Bool { open(at: path) != nil }

  static func isOpen(_ descriptor: Int32, _ file: stat) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_dev == file.st_dev
      && status.st_ino == file.st_ino
  }

  /// The number of descriptors left to other code in the process.
  private static let spare = 2
}

#if canImport(Glibc)
  // An enumeration in C, and its functions take another type of the same values.
  private let fileLimit = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#else
  private let fileLimit = RLIMIT_NOFILE
#endif
