import GRDB

/// The peer *GRDB*: records inserted one by one in one transaction.
struct GRDBInserts {
  /// The record with its own `encode(to:)`, which is faster than GRDB's `Codable` one.
  struct Record: PersistableRecord {
    static let databaseTableName = "item"

    let id: Int64
    let section: String
    let name: String
    let value: Int64

    func encode(to container: inout PersistenceContainer) {
      container["id"] = id
      container["section"] = section
      container["name"] = name
      container["value"] = value
    }
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
    try pool.write { database in
      for record in records { try record.insert(database) }
    }
  }
}
