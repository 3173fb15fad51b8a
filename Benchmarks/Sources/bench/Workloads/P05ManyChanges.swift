import CSQLite
import FetchedResults
import SQLiteStorage
import TableData

/// So many rows change that reading everything again is the best there is: what the library then
/// does by itself.
///
/// Lean reads the index and nothing else, so the list that is compared with it shows what is in the
/// index. One with a column outside of it, which lean does not see, is measured beside it.
struct ManyChanges: Workload {
  let id = "P5"
  let title = "every tenth row's sort key changes"
  let note: String? = """
    The keys are read in order, since looking up so many rows one by one takes longer. Columns that \
    are not in the covering index are read from the table, at random, for the rows that were touched.
    """

  func run(_ context: Context) throws -> [Measurement] {
    let original = try ItemStore(rowCount: context.rowCount, in: context.options.folder)
    let turns = Turns(context.repetitions(6, quick: 4), lean: 3, grdb: 1)
    let k = original.rowCount / 10

    let store = try original.copy(for: self, "titles")
    defer { store.remove() }
    var titles = try ItemChanges(
      store,
      try FetchedResultsProvider(
        database: try store.openForWriting(), request: ItemTitle.all.sorted(by: \.name),
        sectionedBy: \.section), ItemTitle.query, seed: 5)
    let covered = try titles.costs(k: k, turns)

    let other = try original.copy(for: self)
    defer { other.remove() }
    var items = try ItemChanges(other, seed: 5)
    let whole = try items.costs(k: k, turns)
    return [
      covered.measurement(
        self, "\(title), all shown is in the index", n: store.rowCount, k: k, against: \.lean,
        .timesPeer(atMost: 1.2)),
      whole.measurement(self, title, n: store.rowCount, k: k, against: \.lean, .none),
      whole.measurement(self, title, n: store.rowCount, k: k, against: \.grdb, .none),
    ]
  }
}

/// What an ``Item`` has in the covering index.
private struct ItemTitle: FetchableRecord, Equatable {
  let id: Int64
  let section: String
  let name: String

  static let recordDescription = RecordDescription(
    table: "item", key: \.id, making: ItemTitle.init,
    Column("id", \.id), Column("section", \.section), Column("name", \.name))

  static let query = ListMirror<ItemTitle>.Query(
    all: "SELECT id, section, name FROM item ORDER BY \(ItemStore.order)",
    section: "SELECT id, section, name FROM item WHERE section = ? ORDER BY name, id",
    record: { row in
      ItemTitle(
        id: sqlite3_column_int64(row, 0), section: String(cString: sqlite3_column_text(row, 1)),
        name: String(cString: sqlite3_column_text(row, 2)))
    })
}
