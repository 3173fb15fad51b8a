import CSQLite
import FetchedResults
import Foundation
import SQLiteStorage

/// The record of the large workloads.
struct Item: FetchableRecord, Equatable {
  let id: Int64
  let section: String
  let name: String
  let value: Int64

  static let recordDescription = RecordDescription(
    table: "item", key: \.id, making: Item.init,
    Column("id", \.id), Column("section", \.section), Column("name", \.name),
    Column("value", \.value))

  /// The list that all of them show.
  static let list = Item.all.sorted(by: \.name)
}

/// A file with a table `item` in sections of 1,000 rows, and an index that has the list's order.
///
/// The list's order has nothing to do with the order of the rows in the file, as with names in
/// life: who reads rows in the list's order reads pages all over the file.
struct ItemStore {
  static let columns = "id, section, name, value"
  static let order = "section, name, id"

  let path: String
  let rowCount: Int

  /// The store of that size, which is made where this run has not yet made it.
  init(rowCount: Int, in folder: String) throws {
    path = folder + "/item-\(rowCount).sqlite"
    self.rowCount = rowCount
    if !FileManager.default.fileExists(atPath: path) {
      report("    making a store of \(rowCount) rows")
      try make()
    }
  }

  private func make() throws {
    let database = try RawDatabase(path: path, readOnly: false)
    try database.execute(
      """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = OFF;
      CREATE TABLE item(
        id INTEGER PRIMARY KEY, section TEXT NOT NULL, name TEXT NOT NULL,
        value INTEGER NOT NULL);
      BEGIN;
      """)
    let insert = try database.prepare("INSERT INTO item VALUES (?, ?, ?, ?)")
    let sectionCount = max(1, rowCount / 1_000)
    for id in 0..<rowCount {
      // A large prime, so that each number of the list comes once, in an order that looks random.
      let place = id * 982_451_653 % rowCount
      sqlite3_bind_int64(insert.pointer, 1, Int64(id + 1))
      bind(String(format: "Section %05d", place % sectionCount), to: insert, at: 2)
      bind(String(format: "Song %08d (live)", place), to: insert, at: 3)
      sqlite3_bind_int64(insert.pointer, 4, Int64(place * 7 % 1_000))
      try insert.forEachRow { _ in }
    }
    try database.execute(
      """
      COMMIT;
      CREATE INDEX item_list ON item(section, name, id);
      PRAGMA wal_checkpoint(TRUNCATE);
      """)
  }

  private func bind(_ text: String, to statement: RawStatement, at index: Int32) {
    sqlite3_bind_text(statement.pointer, index, text, -1, csqlite_transient())
  }
}

extension ItemStore {
  /// A provider of the list, in sections.
  func makeProvider(_ database: Database) throws -> FetchedResultsProvider<Item> {
    try FetchedResultsProvider(
      database: database, request: Item.list, sectionNameKeyPath: \.section)
  }

  /// A provider of the list that has been fetched.
  func fetchedProvider(_ database: Database) throws -> FetchedResultsProvider<Item> {
    let provider = try makeProvider(database)
    try provider.performFetch()
    return provider
  }
}

extension Item {
  /// Reads the row that a statement with ``ItemStore/columns`` is at.
  init(_ row: OpaquePointer) {
    id = sqlite3_column_int64(row, 0)
    section = String(cString: sqlite3_column_text(row, 1))
    name = String(cString: sqlite3_column_text(row, 2))
    value = sqlite3_column_int64(row, 3)
  }
}

/// The records of a provider that has been fetched.
func requireObjects(_ provider: FetchedResultsProvider<Item>) throws -> FetchedObjects<Item> {
  guard let objects = provider.fetchedObjects else { throw BenchError("nothing was fetched") }
  return objects
}
