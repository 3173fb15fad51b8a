import CSQLite
import SQLiteStorage

/// What a change of an ``ItemStore``'s list costs the peers, which read everything again.
///
/// They are made when they are first asked for, so that the memory noted before is the list's own.
final class ItemPeers {
  private let path: String
  private(set) var lean = Timings()
  private(set) var grdb = Timings()
  private var leanPeer: LeanPeer?
  private var grdbPeer: GRDBPeer?
  private var records: [GRDBPeer.Record] = []

  /// Up to how many changed rows the standard library's `difference(from:)` is tried: it takes
  /// memory and time by the square of their number.
  private static let differenceLimit = 1_000

  init(path: String) { self.path = path }

  /// Times one change with *lean*: the scan and the merge.
  func timeLean(_ write: () throws -> Void) throws {
    let peer = try leanPeer ?? LeanPeer(RawDatabase(path: path))
    leanPeer = peer
    // Where changes were made since the last turn, they are not part of this one.
    _ = try peer.refresh()
    try write()
    let changes = try lean.measure { try peer.refresh() }
    guard changes.count > 0 else { throw BenchError("lean saw no change") }
    var ids = peer.ids[...]
    try ordered().forEachRow { row in
      guard ids.popFirst() == sqlite3_column_int64(row, 0) else {
        throw BenchError("lean has another order")
      }
    }
  }

  private func ordered() throws -> RawStatement {
    try RawDatabase(path: path).prepare("SELECT id FROM item ORDER BY \(ItemStore.order)")
  }

  /// Times one change with *GRDB*: the fetch, and the faster of two differences.
  ///
  /// - Parameter changeCount: the number of rows that `write` changes.
  func timeGRDB(changeCount: Int, _ write: () throws -> Void) throws {
    let peer = try grdbPeer ?? GRDBPeer(path: path)
    grdbPeer = peer
    records = try peer.fetchAll()
    try write()
    var fetch = Timings()
    var heckel = Timings()
    var difference = Timings()
    let new = try fetch.measure { try peer.fetchAll() }
    let found = heckel.measure { HeckelDiff(from: records, to: new, id: \.id) }
    guard found.count > 0 else { throw BenchError("GRDB saw no change") }
    if changeCount <= Self.differenceLimit {
      use(difference.measure { new.difference(from: records) })
    }
    let best = min(heckel.median, difference.nanoseconds.first ?? .infinity)
    grdb.add(nanoseconds: fetch.median + best)
  }
}
