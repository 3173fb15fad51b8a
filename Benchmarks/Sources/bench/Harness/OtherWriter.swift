import CSQLite
import Foundation
import SQLiteStorage
import TableDataTesting

/// Commits through SQLite alone, as another process does, without regard to who observes. Each commit
/// gives a row another sort key, and counts.
struct OtherWriter {
  private let rowCount: Int
  private let database: RawDatabase
  private let begin: RawStatement
  private let commitStatement: RawStatement
  private let rename: RawStatement
  private let count: RawStatement
  private let clock = CommitClock()
  private var generator = SeededGenerator(seed: 9)
  /// When each commit was visible, on the clock of ``sharedNanoseconds()``.
  private(set) var times: [Double] = []

  /// Makes the table that counts the commits.
  static func prepare(_ store: ItemStore) throws {
    try RawDatabase(path: store.path, readOnly: false)
      .execute("\(CommitNumber.makeTable); \(CommitNumber.insert)")
  }

  init(_ store: ItemStore) throws {
    rowCount = store.rowCount
    database = try RawDatabase(path: store.path, readOnly: false)
    try database.execute("PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000")
    begin = try database.prepare("BEGIN IMMEDIATE")
    commitStatement = try database.prepare("COMMIT")
    rename = try database.prepare("UPDATE item SET name = ? WHERE id = ?")
    count = try database.prepare(CommitNumber.update)
    clock.watch(database)
  }

  mutating func commit() throws {
    let number = times.count + 1
    let title = ItemStore.newName(below: rowCount, take: number, using: &generator)
    let row = Int64.random(in: 1...Int64(rowCount), using: &generator)
    try begin.run()
    try rename.run(.text(title), .integer(row))
    try count.run(.integer(Int64(number)))
    try commitStatement.run()
    times.append(clock.lastCommit)
  }

  /// How long each commit took to be reported by the first batch that has it.
  static func latencies(of commits: [Double], by arrivals: [Arrival]) -> Timings {
    var latencies = Timings()
    var arrival = 0
    for (index, time) in commits.enumerated() {
      while arrival < arrivals.count, arrivals[arrival].commit < index + 1 { arrival += 1 }
      guard arrival < arrivals.count else { break }
      // The hook is called when the commit can be seen already.
      latencies.add(nanoseconds: max(0, arrivals[arrival].time - time))
    }
    return latencies
  }
}

/// Notes when a commit can be seen by others, and then empties the log as SQLite does by default.
///
/// It must live as long as the database.
private final class CommitClock {
  /// On the clock of ``sharedNanoseconds()``.
  private(set) var lastCommit = 0.0

  /// Takes the place of SQLite's own hook.
  func watch(_ database: RawDatabase) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_wal_hook(
      database.handle,
      { context, handle, _, frameCount in
        if let context {
          Unmanaged<CommitClock>.fromOpaque(context).takeUnretainedValue().lastCommit =
            sharedNanoseconds()
        }
        if frameCount >= 1_000 {
          // As by default, one that cannot be done now is left to the next commit.
          sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        }
        return SQLITE_OK
      }, context)
  }
}
