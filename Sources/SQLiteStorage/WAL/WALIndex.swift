internal import CSQLite

/// The WAL-index: shared memory that maps the pages to the frames of the log.
///
/// It is read where SQLite has mapped it. Opening and closing the `-shm` file a second time would
/// release the POSIX locks of the whole process.
///
/// Source: [The WAL-Index File Format](https://www.sqlite.org/walformat.html#the_wal_index_file_format).
struct WALIndex {
  private let file: UnsafeMutablePointer<sqlite3_file>
  private let methods: UnsafePointer<sqlite3_io_methods>

  /// The WAL-index of a schema, which can be read while the connection is open.
  ///
  /// - Returns: nil if the file system or the access mode does not support shared memory.
  init?(handle: OpaquePointer, schema: String = "main") {
    guard let file = openFile(SQLITE_FCNTL_FILE_POINTER, of: handle, schema: schema) else {
      return nil
    }
    self.init(file)
  }

  /// The WAL-index of a database file, as above.
  init?(_ file: UnsafeMutablePointer<sqlite3_file>) {
    guard let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2,
      methods.pointee.xShmMap != nil
    else { return nil }
    self.file = file
    self.methods = methods
  }

  /// A region of the WAL-index; nil if it does not exist.
  func region(_ number: Int) -> UnsafeRawBufferPointer? {
    guard let map = methods.pointee.xShmMap, let number = Int32(exactly: number) else { return nil }
    var region: UnsafeMutableRawPointer?
    let status = withUnsafeMutablePointer(to: &region) {
      $0.withMemoryRebound(to: UnsafeMutableRawPointer?.self, capacity: 1) {
        map(file, number, WALIndex.regionSize, 0, $0)
      }
    }
    // SQLITE_READONLY is the mapping of a file that this process may only read.
    guard [SQLITE_OK, SQLITE_READONLY].contains(status), let region else { return nil }
    return UnsafeRawBufferPointer(start: region, count: Int(WALIndex.regionSize))
  }

  private static var regionSize: Int32 { 32_768 }

  /// Whether no checkpoint holds the lock of the first read-mark. While one does, a new reader gets
  /// another read-mark, also if all of the log is copied: the lock is released some moments after
  /// the WAL-index says so.
  ///
  /// The connection must not be in a transaction.
  ///
  /// Source: `walCheckpoint` and `walTryBeginRead` in SQLite's `wal.c`.
  var canReadFileAlone: Bool {
    guard let lock = methods.pointee.xShmLock else { return false }
    let (readMark, count) = (Int32(3), Int32(1))
    guard lock(file, readMark, count, SQLITE_SHM_LOCK | SQLITE_SHM_SHARED) == SQLITE_OK else {
      return false
    }
    return lock(file, readMark, count, SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED) == SQLITE_OK
  }
}

/// What became of copying the write-ahead log into the database file.
enum Checkpoint {
  /// All of the log is copied.
  case complete
  /// Readers of older versions, or an error, keep a part of the log from being copied.
  case partial
  /// Another connection is copying the log.
  case busy
}

// MARK: - Frames

/// The content read here about pinned frames does not change while they are pinned.
extension WALIndex {
  /// The pages in a range of frames, each with its last frame in the range.
  ///
  /// - Throws: `.tooManyPages` if there are more than `limit`.
  func pages(
    ofFrames frames: Range<Int>, limit: Int
  ) throws(PageDiffError) -> [UInt32: Int] {
    var pages: [UInt32: Int] = [:]
    var next = frames.lowerBound
    while next < frames.upperBound {
      let number = WALIndex.regionNumber(ofFrame: next)
      guard next > 0, let region = region(number) else { throw .unreadable }
      let first = WALIndex.firstFrame(ofRegion: number)
      let end = min(frames.upperBound, WALIndex.firstFrame(ofRegion: number + 1))
      for frame in next..<end {
        let offset = WALIndex.pagesOffset(ofRegion: number) + 4 * (frame - first)
        pages[region.loadUnaligned(fromByteOffset: offset, as: UInt32.self)] = frame
      }
      guard pages.count <= limit else { throw .tooManyPages }
      next = end
    }
    return pages
  }

  /// The last frame up to `last` with a page; nil if there is none.
  ///
  /// Complexity: O(frames / 4096): one lookup in each hash table.
  func frame(of page: UInt32, upTo last: Int) throws(PageDiffError) -> Int? {
    guard last > 0 else { return nil }
    for number in (0...WALIndex.regionNumber(ofFrame: last)).reversed() {
      guard let region = region(number) else { throw .unreadable }
      let first = WALIndex.firstFrame(ofRegion: number)
      let pages = WALIndex.pagesOffset(ofRegion: number)
      var found: Int?
      var slot = Int(page &* 383) % WALIndex.slotCount
      for _ in 0..<WALIndex.slotCount {
        let entry = Int(
          region.loadUnaligned(
            fromByteOffset: WALIndex.slotsOffset + 2 * slot, as: UInt16.self))
        guard entry != 0 else { break }
        let frame = first + entry - 1
        if frame <= last, entry <= WALIndex.frameCount,
          region.loadUnaligned(fromByteOffset: pages + 4 * (entry - 1), as: UInt32.self) == page
        {
          found = max(found ?? 0, frame)
        }
        slot = (slot + 1) % WALIndex.slotCount
      }
      if let found { return found }
    }
    return nil
  }

  /// The first region has fewer frames, since it begins with the header.
  private static func regionNumber(ofFrame frame: Int) -> Int {
    (frame + headerSize / 4 - 1) / frameCount
  }

  private static func firstFrame(ofRegion number: Int) -> Int {
    number == 0 ? 1 : number * frameCount - headerSize / 4 + 1
  }

  private static func pagesOffset(ofRegion number: Int) -> Int { number == 0 ? headerSize : 0 }

  private static var headerSize: Int { 136 }
  /// The maximum number of frames in a region.
  private static var frameCount: Int { 4_096 }
  /// The offset of the hash table, behind the page numbers.
  private static var slotsOffset: Int { 4 * frameCount }
  private static var slotCount: Int { 8_192 }
}

// MARK: - The header

/// The present header of the WAL-index (the `-shm` file), and how much of the log is copied into the
/// database file. Unlike a ``WALHeader``, which identifies a version, it changes with a checkpoint.
///
/// Source: [The WAL-Index File Format](https://www.sqlite.org/walformat.html#the_wal_index_file_format).
struct WALIndexHeader: Hashable {
  /// The version of the database that the header describes.
  let version: WALHeader
  /// The number of frames already copied into the database file: `nBackfill`.
  let backfilledFrameCount: Int

  /// The number of valid frames in the log: `mxFrame`.
  var frameCount: Int { version.frameCount }
  /// Whether all of the log is copied into the database file.
  var isCopied: Bool { backfilledFrameCount == frameCount }

  /// Reads the header of `main` through a connection that has read the database before.
  ///
  /// - Returns: nil if there is no WAL-index, or writers changed it during each attempt.
  init?(of connection: Connection) {
    guard let index = connection.walIndex else { return nil }
    self.init(index)
  }

  /// Reads the header, as above.
  init?(_ index: WALIndex) {
    guard let memory = index.region(0) else { return nil }
    for _ in 0..<WALIndexHeader.readAttempts {
      if let version = WALHeader(memory) {
        self.version = version
        backfilledFrameCount = Int(
          memory.load(fromByteOffset: 2 * WALHeader.size, as: UInt32.self))
        return
      }
    }
    return nil
  }

  private static var readAttempts: Int { 100 }
}

extension Connection {
  /// The WAL-index of `main`; nil if there is none.
  var walIndex: WALIndex? { mainFile.flatMap { WALIndex($0) } }

  /// Copies the write-ahead log into the database file as far as readers allow, without waiting.
  ///
  /// If not all of it was copied, for whatever reason, the log is still complete and the next checkpoint copies it. So this
  /// is not an error.
  func checkpoint(_ schema: String = "main") -> Checkpoint {
    var frames: Int32 = 0
    var copied: Int32 = 0
    let status = sqlite3_wal_checkpoint_v2(
      handle, schema, SQLITE_CHECKPOINT_PASSIVE, &frames, &copied)
    if status == SQLITE_OK, frames == copied { return .complete }
    return status == SQLITE_BUSY ? .busy : .partial
  }
}
