import CSQLite
import FetchedResults
import Foundation
import SQLiteStorage
import TableDataTesting

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
  let sectionCount: Int

  /// The store of that size, which is made where this run has not yet made it. Workloads share it:
  /// whoever writes takes a ``copy(for:)``.
  ///
  /// - Parameter sectionCount: nil for sections of 1,000 rows.
  init(rowCount: Int, sectionCount: Int? = nil, in folder: String) throws {
    self.rowCount = rowCount
    self.sectionCount = sectionCount ?? max(1, rowCount / 1_000)
    path = folder + "/item-\(rowCount)-\(self.sectionCount).sqlite"
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
    for id in 0..<rowCount {
      // A large prime, so that each number of the list comes once, in an order that looks random.
      let place = id * 982_451_653 % rowCount
      try insert.run(
        .integer(Int64(id + 1)), .text(Self.section(place % sectionCount)),
        .text(Self.name(place)), .integer(Int64(place * 7 % 1_000)))
    }
    try database.execute(
      """
      COMMIT;
      CREATE INDEX item_list ON item(section, name, id);
      PRAGMA wal_checkpoint(TRUNCATE);
      """)
  }

  /// The name of a section, which has the order of the number.
  static func section(_ number: Int) -> String { String(format: "Section %05d", number) }

  /// A name, which has the order of the number.
  static func name(_ number: Int) -> String { String(format: "Song %08d (live)", number) }

  /// A name that no row has yet, at a place that looks random.
  ///
  /// - Parameter take: another number each time.
  static func newName(
    below limit: Int, take: Int, using generator: inout SeededGenerator
  ) -> String {
    name(Int.random(in: 0..<limit, using: &generator)) + " \(take)"
  }
}

extension ItemStore {
  /// A file of its own with the same rows, for a workload that writes.
  ///
  /// - Parameter part: tells several copies of one workload apart.
  func copy(for workload: any Workload, _ part: String = "") throws -> ItemStore {
    let copy = existingCopy(for: workload, part)
    try FileManager.default.copyItem(atPath: path, toPath: copy.path)
    return copy
  }

  /// The copy that another process of the workload has made.
  func existingCopy(for workload: any Workload, _ part: String = "") -> ItemStore {
    ItemStore(
      path: path.replacing(".sqlite", with: "-\(workload.id)\(part).sqlite"), rowCount: rowCount,
      sectionCount: sectionCount)
  }

  private init(path: String, rowCount: Int, sectionCount: Int) {
    self.path = path
    self.rowCount = rowCount
    self.sectionCount = sectionCount
  }

  /// Removes a copy that is no longer needed.
  func remove() {
    // What is left goes with the folder.
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
  }

  /// What SQLite recommends for WAL mode, and what all peers that write have as well.
  static var writing: Database.Configuration {
    var configuration = Database.Configuration()
    configuration.prepareConnection = { try $0.execute("PRAGMA synchronous = NORMAL") }
    return configuration
  }

  /// The database, to be written by this process.
  func openForWriting() throws -> Database {
    try Database(path: path, access: .readWrite, configuration: Self.writing)
  }

  /// A provider of the list, in sections.
  func makeProvider(_ database: Database) throws -> FetchedResultsProvider<Item> {
    try FetchedResultsProvider(
      database: database, request: Item.list, sectionedBy: \.section)
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
  ///
  /// - Parameter second: where the columns behind the id begin.
  init(_ row: OpaquePointer, textFrom second: Int32 = 1) {
    id = sqlite3_column_int64(row, 0)
    section = String(cString: sqlite3_column_text(row, second))
    name = String(cString: sqlite3_column_text(row, second + 1))
    value = sqlite3_column_int64(row, second + 2)
  }
}

/// The records of a provider that has been fetched.
func requireObjects(_ provider: FetchedResultsProvider<Item>) throws -> FetchedObjects<Item> {
  guard let objects = provider.fetchedObjects else { throw BenchError("nothing was fetched") }
  return objects
}
