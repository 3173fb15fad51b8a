import FetchedResults
import SQLiteStorage
import TableDataTesting

/// Changes of an ``ItemStore``'s list, timed with the library and with the peers in the same run.
struct ItemChanges<Record: Sendable & Equatable> {
  let store: ItemStore
  let list: LiveList<Record>
  private var generator: SeededGenerator
  private var take = 0

  /// Fetches a list of the store.
  init(
    _ store: ItemStore, _ provider: FetchedResultsProvider<Record>,
    _ query: ListMirror<Record>.Query, seed: UInt64
  ) throws {
    self.store = store
    generator = SeededGenerator(seed: seed)
    list = try LiveList(provider, query, checkedBy: try RawDatabase(path: store.path))
  }

  /// Times commits that each give `k` rows another sort key.
  mutating func costs(k: Int, _ turns: Turns) throws -> ChangeCosts {
    var own = Timings()
    var unused = Timings()
    // The first ones fill caches, which later ones find filled.
    for _ in 0..<min(20, turns.own / 4 + 1) { try change(k, &unused) }
    for _ in 0..<(turns.own / 2) { try change(k, &own) }
    let rss = try ProcessMemory.peak()

    // From here on they take turns, so that whatever else the machine does meets all.
    let peers = ItemPeers(path: store.path)
    let rounds = max(1, turns.lean, turns.grdb)
    for round in 0..<rounds {
      if round < turns.lean { try peers.timeLean { try change(k, &unused) } }
      if round < turns.grdb { try peers.timeGRDB(changeCount: k) { try change(k, &unused) } }
      for _ in 0..<max(1, turns.own / 2 / rounds) { try change(k, &own) }
    }
    // Last, since the versions that it pins keep the log from being started over.
    let floor = try FloorPeer(store)
    for _ in 0..<min(20, turns.floor / 4) {
      try change(k, &unused) { try floor.advance(touching: $0) }
    }
    for _ in 0..<turns.floor { try change(k, &unused) { try floor.time(touching: $0) } }
    try list.checkAll()
    return ChangeCosts(
      own: own, lean: peers.lean, grdb: peers.grdb, floor: floor.timings, rssMB: rss)
  }

  /// Gives `k` rows another sort key, in one commit.
  ///
  /// - Parameter onCommit: called with the ids of the rows, before the list is at the new version.
  private mutating func change(
    _ k: Int, _ timings: inout Timings, onCommit: ([Int64]) throws -> Void = { _ in }
  ) throws {
    take += 1
    let rows = (0..<k).map { _ in
      (
        id: Int64.random(in: 1...Int64(store.rowCount), using: &generator),
        name: ItemStore.newName(below: store.rowCount, take: take, using: &generator)
      )
    }
    let ids = rows.map(\.id)
    try list.change(&timings, onCommit: { try onCommit(ids) }) { connection in
      let update = try connection.cachedStatement("UPDATE item SET name = ?2 WHERE id = ?1")
      for row in rows {
        try update.bind([.integer(row.id), .text(row.name)])
        try update.run()
      }
    }
  }
}

extension ItemChanges<Item> {
  /// Fetches the list of all columns.
  init(_ store: ItemStore, seed: UInt64) throws {
    try self.init(
      store, try store.makeProvider(try store.openForWriting()), ItemStore.query, seed: seed)
  }
}

extension ItemStore {
  /// The list as it is in the file.
  static let query = ListMirror<Item>.Query(
    all: "SELECT \(columns) FROM item ORDER BY \(order)",
    section: "SELECT \(columns) FROM item WHERE section = ? ORDER BY name, id",
    record: { Item($0) })
}
