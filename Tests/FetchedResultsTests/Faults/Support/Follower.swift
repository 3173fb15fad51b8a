import CLibrary
import Foundation
import SQLiteStorage
import Testing

/// What a follower does.
enum Follower {
  private static let pageSize = 4_096

  /// Brings all of a file out of its log.
  static func checkpoint(_ connection: Connection) throws {
    _ = try connection.rows("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Notes that the replica is complete.
  static func note(_ replica: String) throws {
    try Data("0000000000000002\n".utf8).write(to: URL(filePath: replica + "-txid"))
  }

  /// Has the header of a replica name rollback-journal mode, as Litestream does when the replication was interrupted.
  static func leaveWALMode(_ replica: String) throws {
    let file = try FileHandle(forUpdating: URL(filePath: replica))
    try file.seek(toOffset: 18)
    try file.write(contentsOf: [1, 1])
    try file.close()
  }

  /// Writes the pages in which a replica differs from its source.
  ///
  /// - Parameter limit: after how many pages the process dies; nil if it does not.
  static func apply(_ source: String, to replica: String, dyingAfter limit: Int? = nil) throws {
    let new = try Data(contentsOf: URL(filePath: source))
    let old = try Data(contentsOf: URL(filePath: replica))
    let file = open(replica, O_RDWR)
    try #require(file >= 0)
    for (start, length) in [(0x4000_0000, 1), (0x4000_0002, 510)] {
      try #require(lock(file, F_WRLCK, start, length))
    }
    var count = 0
    for start in stride(from: 0, to: new.count, by: pageSize) {
      var page = new[start..<start + pageSize]
      // The journal mode is that of the replica.
      if start == 0 { page.replaceSubrange(18..<20, with: old[18..<20]) }
      if start + pageSize <= old.count, old[start..<start + pageSize] == page { continue }
      let written = page.withUnsafeBytes { pwrite(file, $0.baseAddress, pageSize, off_t(start)) }
      try #require(written == pageSize)
      count += 1
      if count == limit { ChildProcess.die() }
    }
    try #require(ftruncate(file, off_t(new.count)) == 0)
    // Closing it releases the locks.
    close(file)
    if FileManager.default.fileExists(atPath: replica + "-txid") { try note(replica) }
  }

  /// Has the pending lock of a file for some time.
  static func holdLock(_ path: String, for time: Duration) throws {
    let file = open(path, O_RDWR)
    try #require(file >= 0)
    defer { close(file) }
    try #require(lock(file, F_WRLCK, 0x4000_0000, 1))
    usleep(UInt32(time / .microseconds(1)))
  }

  private static func lock(_ file: Int32, _ type: Int32, _ start: Int, _ length: Int) -> Bool {
    var lock = flock()
    lock.l_type = Int16(type)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = off_t(start)
    lock.l_len = off_t(length)
    return fcntl(file, F_SETLKW, &lock) == 0
  }
}
