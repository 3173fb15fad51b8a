import GRDB

/// The peer *GRDB*: `Codable` records that are written and read by their key.
struct GRDBRecords {
  struct Record: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "item"

    let id: Int64
    let section: String
    let name: String
    let value: Int64
  }

  private let pool: DatabasePool

  /// Opens a new file and runs `script` in it.
  init(path: String, script: String) throws {
    var configuration = Configuration()
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
    pool = try DatabasePool(path: path, configuration: configuration)
    try pool.write { try $0.execute(sql: script) }
  }

  func insert(_ records: [Record]) throws {
    try pool.write { database in for record in records { try record.insert(database) } }
  }

  func upsert(_ records: [Record]) throws {
    try pool.write { database in for record in records { try record.upsert(database) } }
  }

  func update(_ records: [Record]) throws {
    try pool.write { database in for record in records { try record.update(database) } }
  }

  func delete(_ records: [Record]) throws {
    try pool.write { database in
      for record in records {
        guard try record.delete(database) else { throw BenchError("GRDB: no row to delete") }
      }
    }
  }

  /// The sum of the values of the records with some ids.
  func find(_ ids: [Int64]) throws -> Int64 {
    try pool.read { database in
      try ids.reduce(0) { $0 + (try Record.find(database, key: $1).value) }
    }
  }

  /// The same by a condition.
  func fetchOne(_ ids: [Int64]) throws -> Int64 {
    try pool.read { database in
      try ids.reduce(0) { sum, id in
        let record = try Record.filter(Column("id") == id).fetchOne(database)
        return sum + (record?.value ?? 0)
      }
    }
  }

  /// The same from rows.
  func rows(_ ids: [Int64]) throws -> Int64 {
    try pool.read { database in
      try ids.reduce(0) { sum, id in
        let rows = try Row.fetchAll(
          database, sql: "SELECT * FROM item WHERE id = ?", arguments: [id])
        return sum + (rows.first?["value"] ?? 0)
      }
    }
  }

  /// The number of all records.
  func fetchAll() throws -> Int { try pool.read { try Record.fetchAll($0).count } }
}
