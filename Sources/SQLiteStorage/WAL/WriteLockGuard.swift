internal import CSQLite
internal import Dispatch

/// Keeps a connection that only reads from taking the lock of writers.
///
/// SQLite's readers take it for a moment if the header of the WAL-index is half-written, to repair it after a crash. But mostly
/// a writer is about to complete it. If the writer has ended its commit by the time of the lock, the next commit finds the
/// file locked; without a busy timeout it fails. Beside ten readers in one process that was one of some 20,000 commits.
///
/// While the two copies of the header differ, the guard answers that the lock is taken, so that SQLite reads the header again.
/// If it has not changed for a second, its writer has crashed, and the lock is granted.
///
/// SQLite calls these methods in place of those of its file. The first member is what SQLite reads, so its address leads to
/// the others. The memory is freed with the file, which may outlive the connection.
///
/// Source: `walIndexReadHdr` and `walTryBeginRead` in SQLite's `wal.c`.
private struct WriteLockGuard {
  typealias File = UnsafeMutablePointer<sqlite3_file>

  var methods: sqlite3_io_methods
  let lock: @convention(c) (File?, Int32, Int32, Int32) -> Int32
  let close: @convention(c) (File?) -> Int32
  /// The header when it was first seen half-written, and the time then in nanoseconds.
  private var halfWritten: (header: [UInt8], since: UInt64) = ([], 0)

  /// - Returns: nil if the file has no shared memory.
  init?(_ methods: sqlite3_io_methods) {
    guard methods.iVersion >= 2, methods.xShmMap != nil, let lock = methods.xShmLock,
      let close = methods.xClose
    else { return nil }
    (self.methods, self.lock, self.close) = (methods, lock, close)
    self.methods.xShmLock = { file, offset, count, flags in
      guard let guarded = WriteLockGuard.of(file) else { return SQLITE_MISUSE }
      let isWriteLock = (offset, count) == (0, 1)
      let isTaking = flags == SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE
      if isWriteLock, isTaking, guarded.pointee.isHeaderBeingWritten(file) { return SQLITE_BUSY }
      return guarded.pointee.lock(file, offset, count, flags)
    }
    self.methods.xClose = { file in
      guard let guarded = WriteLockGuard.of(file) else { return SQLITE_MISUSE }
      defer {
        guarded.deinitialize(count: 1)
        guarded.deallocate()
      }
      return guarded.pointee.close(file)
    }
  }

  private static func of(_ file: File?) -> UnsafeMutablePointer<WriteLockGuard>? {
    file?.pointee.pMethods.map {
      UnsafeMutableRawPointer(mutating: $0).assumingMemoryBound(to: WriteLockGuard.self)
    }
  }

  /// Whether the header is half-written, and may still be completed.
  private mutating func isHeaderBeingWritten(_ file: File?) -> Bool {
    guard let memory = file.flatMap({ WALIndex($0) })?.region(0) else { return false }
    let header = Array(memory[..<(2 * WALHeader.size)])
    guard !header[..<WALHeader.size].elementsEqual(header[WALHeader.size...]) else { return false }
    let now = DispatchTime.now().uptimeNanoseconds
    if header != halfWritten.header { halfWritten = (header, now) }
    return now - halfWritten.since < 1_000_000_000
  }
}

extension Connection {
  /// Never takes the lock of writers of `main` from now on, except to repair its log after a crash. The connection must not
  /// write. It is called once.
  func leaveWriteLock() {
    guard let file = openFile(SQLITE_FCNTL_FILE_POINTER, of: handle, schema: "main"),
      let methods = file.pointee.pMethods, let guarded = WriteLockGuard(methods.pointee)
    else { return }
    let memory = UnsafeMutablePointer<WriteLockGuard>.allocate(capacity: 1)
    memory.initialize(to: guarded)
    file.pointee.pMethods = UnsafeRawPointer(memory).assumingMemoryBound(
      to: sqlite3_io_methods.self)
  }
}
