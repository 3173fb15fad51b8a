internal import CLibrary

/// What the system reports about the file at a path.
struct FileStatus: Equatable {
  /// The number of the file in its file system.
  let number: ino_t
  let size: Int64
  /// The time of the last write, in nanoseconds since 1970, modulo 2^64: a file may have any time.
  let modified: Int64

  /// - Returns: nil if there is no file at the path.
  init?(at path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    number = status.st_ino
    size = Int64(status.st_size)
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    modified = SystemClock.nanoseconds(time)
  }

  /// The status of a file that is not empty; nil if it is, or there is none: a reader makes an empty log, and removes it.
  static func filled(at path: String) -> FileStatus? {
    FileStatus(at: path).flatMap { $0.size > 0 ? $0 : nil }
  }

  /// The nanoseconds since the last write; negative if the clocks differ.
  var age: Int64 { SystemClock.now &- modified }

  /// How long to wait until a write would give the file another time. Zero if that time is over.
  ///
  /// File systems take the time of a write from a clock that ticks every few milliseconds, some of
  /// them every second or two.
  var timeUntilSettled: Duration {
    let age = age
    let tick = modified % 1_000_000_000 == 0 ? FileStatus.secondsTick : FileStatus.shortTick
    // If the clocks differ, waiting is of no use.
    return (0..<tick).contains(age) ? .nanoseconds(tick - age) : .zero
  }

  private static var shortTick: Int64 { 12_000_000 }
  private static var secondsTick: Int64 { 2_000_000_000 }
}

/// The lock by which a process that is about to write a database file keeps new readers away, and
/// waits until the present ones have released their locks: `PENDING_BYTE` in SQLite's `os.h`.
///
/// In WAL mode no process takes this lock for longer than a moment. But a program may write pages
/// into a file whose header names WAL mode, as the follower of a replica does.
///
/// Source: [Locking](https://www.sqlite.org/lockingv3.html#locking).
struct PendingLock {
  private let path: String
  /// A descriptor by which SQLite has the file open; nil if none is known. Another one must not be
  /// opened: closing it would release SQLite's locks.
  private var descriptor: Int32?

  /// - Parameter path: of a file that this process has open.
  init(of path: String) { self.path = path }

  /// The process that has the lock; nil if no other process has it.
  mutating func owner() -> pid_t? {
    var file = stat()
    guard stat(path, &file) == 0 else { return nil }
    // SQLite may have closed the descriptor since, and its number may be that of another file.
    if descriptor.map({ Descriptors.isOpen($0, file) }) != true {
      descriptor = Descriptors.open(at: path)
    }
    guard let descriptor else { return nil }
    var lock = flock()
    lock.l_type = Int16(F_RDLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = 0x4000_0000
    lock.l_len = 1
    guard fcntl(descriptor, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK) else { return nil }
    return lock.l_pid
  }
}
