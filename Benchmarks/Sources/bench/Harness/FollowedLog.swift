import CSQLite
import FetchedResults
import SQLiteStorage

/// A change log whose batches are read completely, and applied to a copy of the file.
enum FollowedLog {
  /// A log that begins at the newest version.
  static func begin(_ store: ItemStore) throws -> sending ChangeLog.Iterator {
    let database = try store.openForWriting()
    return database.changes(since: try database.snapshot()).makeAsyncIterator()
  }

  /// Reads each batch until a numbered commit is told, or the task is cancelled.
  static func follow(
    _ log: sending ChangeLog.Iterator, until commit: Int
  ) async throws -> (arrivals: [Arrival], rows: [[TableRowChange]]) {
    var log = log
    var arrivals: [Arrival] = []
    var batches: [[TableRowChange]] = []
    while arrivals.last?.commit ?? 0 < commit, let changes = try await log.next() {
      let rows = try changes.rows()
      let time = sharedNanoseconds()
      guard case .integer(let number)? = rows.first(where: { $0.table == "tick" })?.new?["number"]
      else { continue }
      arrivals.append(Arrival(time: time, commit: Int(number)))
      batches.append(rows)
    }
    return (arrivals, batches)
  }
}

/// A copy of a store to which batches are applied.
final class Replica {
  private let store: ItemStore
  private let copy: ItemStore
  private let connection: Connection

  init(of store: ItemStore, for workload: any Workload) throws {
    self.store = store
    copy = try store.copy(for: workload, "replica")
    connection = try Connection(path: copy.path)
    try connection.execute("PRAGMA synchronous = OFF")
  }

  deinit { copy.remove() }

  func apply(_ rows: [TableRowChange]) throws { try connection.apply(rows) }

  /// Checks that the copy has the rows of the store.
  func check() throws {
    let database = try RawDatabase(path: store.path)
    try database.execute("ATTACH '\(copy.path)' AS copy")
    let differing = try database.prepare(
      """
      SELECT count(*) + abs((SELECT count(*) FROM item) - (SELECT count(*) FROM copy.item))
      FROM item AS a LEFT JOIN copy.item AS b ON b.id = a.id
      WHERE (a.section, a.name, a.value) IS NOT (b.section, b.name, b.value)
      """)
    try differing.forEachRow { row in
      let count = sqlite3_column_int64(row, 0)
      guard count == 0 else { throw BenchError("the copy differs in \(count) rows") }
    }
  }
}
