import Testing

@testable import SQLiteStorage

/// A table, and how its rows are told apart.
struct TruthTable {
  let schema: String
  let name: String
  /// The key columns of a `WITHOUT ROWID` table; nil for one with rowids.
  let key: [String]?

  init(_ name: String, in schema: String = "main", key: [String]? = nil) {
    self.name = name
    self.schema = schema
    self.key = key
  }

  /// All rows, by their keys.
  func rows(of snapshot: Snapshot) throws -> [[Value]: [Value]] {
    let columns = key ?? ["rowid"]
    return try snapshot.read { connection in
      var rows: [[Value]: [Value]] = [:]
      try connection.query(
        SQL(verbatim: "SELECT \(columns.joined(separator: ", ")), * FROM \(schema).\(name)")
      ) { row in
        let values = Row(row).values
        rows[Array(values.prefix(columns.count))] = values
      }
      return rows
    }
  }

  /// The keys of the rows that differ between two snapshots.
  func differences(between old: Snapshot, and new: Snapshot) throws -> Set<[Value]> {
    let (old, new) = (try rows(of: old), try rows(of: new))
    return Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }
  }

  /// The keys that are said to be touched; nil for all.
  func keys(in touched: TouchedRows) -> Set<[Value]>? {
    switch touched.rows(of: name, in: schema) {
    case .rowIDs(let rowIDs): Set(rowIDs.map { [.integer($0)] })
    case .keys(let keys): keys
    case .all: nil
    case nil: []
    }
  }

  /// The rows that differ without being said to be touched.
  func missed(by touched: TouchedRows, between old: Snapshot, and new: Snapshot) throws
    -> Set<[Value]>
  {
    guard let keys = keys(in: touched) else { return [] }
    return try differences(between: old, and: new).subtracting(keys)
  }
}

extension Touched {
  /// The rows; fails the test where they are not known.
  func known(sourceLocation: SourceLocation = #_sourceLocation) throws -> TouchedRows {
    guard case .rows(let rows) = self else {
      Issue.record("touched is \(self)", sourceLocation: sourceLocation)
      throw UnknownRows()
    }
    return rows
  }

  struct UnknownRows: Error {}
}

extension Database.Configuration {
  /// No test is about power cuts, and syncing takes most of the time.
  static var unsynced: Database.Configuration {
    var configuration = Database.Configuration()
    configuration.prepareConnection = { try $0.execute("PRAGMA synchronous = OFF") }
    return configuration
  }
}
