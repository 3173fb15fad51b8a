@testable import SQLiteStorage

/// How far the copying of a log into its database has come, as its index tells.
///
/// Source: [The WAL-Index File Format](https://www.sqlite.org/walformat.html#the_wal_index_file_format).
struct CheckpointProgress {
  /// How many frames of the log somebody has set out to copy: `nBackfillAttempted`.
  let attempted: Int
  /// How many have been copied, all of them written: `nBackfill`.
  let finished: Int

  /// How many frames there are: `mxFrame`.
  let frameCount: Int

  /// Whether all has been copied.
  var isDone: Bool { finished == frameCount }
  /// Whether a checkpoint has begun to copy and not come to its end, as it is or for ever.
  var isUnderWay: Bool { attempted > finished }

  /// - Parameter connection: one that has read the database before.
  init?(seenBy connection: Connection) {
    let index = WALIndex(handle: connection.handle, schema: "main")
    guard let header = index?.region(0) else { return nil }
    frameCount = Int(header.load(fromByteOffset: 16, as: UInt32.self))
    finished = Int(header.load(fromByteOffset: 96, as: UInt32.self))
    attempted = Int(header.load(fromByteOffset: 128, as: UInt32.self))
  }
}
