import CSQLite
import FetchedResults
import SQLiteStorage
import TableData
import TableDataTesting

/// A list of a join in which each parent has ten children: a row of either table changes.
struct JoinChanges: Workload {
  let id = "P7"
  let title = "join with fan-out 10"

  func run(_ context: Context) throws -> [Measurement] {
    let store = try JoinStore(trackCount: context.rowCount, in: context.options.folder)
    let raw = try RawDatabase(path: store.path)
    let provider = try store.makeProvider()
    let list = try LiveList(provider, JoinStore.query, checkedBy: raw, every: 500)
    guard provider.maintenance == .touchedRows else {
      throw BenchError("P7: the join is kept true by \(provider.maintenance as Any)")
    }
    let refetch = try raw.prepare(JoinStore.query.all)
    var refetches = Timings()
    var child = Timings()
    var parent = Timings()
    var parentKey = Timings()
    var generator = SeededGenerator(seed: 7)
    var take = 0
    /// - Parameter floors: what is timed in place of the list; none to time the list.
    func changeAll(_ floors: Floors? = nil) throws {
      let track = Int64.random(in: 1...Int64(store.trackCount), using: &generator)
      let album = Int64.random(in: 1...Int64(store.albumCount), using: &generator)
      take += 1
      let name = ItemStore.newName(below: store.trackCount, take: take, using: &generator)
      let number = Int.random(in: 0..<store.albumCount, using: &generator)
      try change(list, &child, 1, floors?.child, touching: track) {
        try $0.execute(
          "UPDATE track SET name = ? WHERE id = ?",
          [.text(name), .integer(track)])
      }
      try change(list, &parent, 10, floors?.parent, touching: album) {
        try $0.execute(
          "UPDATE album SET artist = ? WHERE id = ?",
          [.text("Artist of take \(take)"), .integer(album)])
      }
      try change(list, &parentKey, 10, floors?.parentKey, touching: album) {
        try $0.execute(
          "UPDATE album SET title = ? WHERE id = ?",
          [.text(JoinStore.title(number) + " \(take)"), .integer(album)])
      }
    }

    for _ in 0..<5 {
      try refetches.measure { use(try readAll(refetch)) }
      for _ in 0..<context.repetitions(100, quick: 40) { try changeAll() }
    }
    let rss = try ProcessMemory.peak()
    // Last, since the versions that it pins keep the log from being started over.
    let floors = try Floors(path: store.path)
    for _ in 0..<context.repetitions(300, quick: 100) { try changeAll(floors) }
    try list.checkAll()

    return [
      ("a child's sort key changes", 1, child, floors.child),
      ("a parent's column changes", 10, parent, floors.parent),
      ("a parent's sort key changes", 10, parentKey, floors.parentKey),
    ].flatMap { part, k, times, floor in
      [
        (nil, .atMost(300)), (("refetch", refetches.median / 1e3), .timesBetter(atLeast: 1_000)),
        (("floor", floor.timings.median / 1e3), .timesPeer(atMost: 2)),
      ].map { (peer: (String, Double)?, target: Target) in
        Measurement(
          self, part, n: store.trackCount, k: k, unit: "µs", p50: times.median / 1e3,
          p95: times.percentile(0.95) / 1e3, rssMB: rss, peer: peer, target: target)
      }
    }
  }

  private func change(
    _ list: LiveList<AlbumTrack>, _ timings: inout Timings, _ count: Int, _ floor: FloorPeer?,
    touching key: Int64, _ write: (Connection) throws -> Void
  ) throws {
    var unused = Timings()
    let changes =
      if let floor {
        try list.change(&unused, onCommit: { try floor.time(touching: [key]) }, write)
      } else {
        try list.change(&timings, write)
      }
    guard changes.rowCount <= count else {
      throw BenchError("P7: \(changes.rowCount) events for \(count) rows")
    }
  }

  /// The physical limit of fetching it again: all rows in order, and nothing kept.
  private func readAll(_ statement: RawStatement) throws -> Int64 {
    var sum: Int64 = 0
    try statement.forEachRow { row in
      for column in 1..<Int32(5) { sum &+= Int64(sqlite3_column_bytes(row, column)) }
      sum &+= sqlite3_column_int64(row, 0)
    }
    return sum
  }
}

/// The least that raw SQLite could do for each of the changes.
private struct Floors {
  let child: FloorPeer
  let parent: FloorPeer
  let parentKey: FloorPeer

  init(path: String) throws {
    let rows = """
      SELECT genre, title, album.id, artist, track.id, name
      FROM album JOIN track ON track.album = album.id WHERE album.id = ?
      """
    child = try FloorPeer(
      path: path,
      row: """
        SELECT album.id, name, track.id, genre, title, artist
        FROM track JOIN album ON album.id = track.album WHERE track.id = ?
        """,
      place: """
        SELECT id FROM track WHERE album = ? AND (name, id) > (?, ?) ORDER BY name, id LIMIT 1
        """)
    parent = try FloorPeer(path: path, row: rows)
    parentKey = try FloorPeer(
      path: path, row: rows,
      place: """
        SELECT id FROM album WHERE (genre, title) > (?, ?) ORDER BY genre, title LIMIT 1
        """)
  }
}
