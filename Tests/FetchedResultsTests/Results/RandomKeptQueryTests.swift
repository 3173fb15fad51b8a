import FetchedResults
import SQLiteStorage
import TableDataTesting
import Testing

/// Look-ups that were compiled before return what they return if they are compiled anew, whatever has happened to the
/// schema.
struct RandomKeptQueryTests {
  private struct Undone: Error {}

  private static let changes = [
    "INSERT INTO track VALUES (abs(random() % 1000), 'New', 'Pop', 9)",
    "UPDATE track SET genre = 'rock'",
    "DELETE FROM track WHERE id % 3 = 0", "ALTER TABLE track ADD COLUMN more",
    "ALTER TABLE track DROP COLUMN more",
    "ALTER TABLE track RENAME COLUMN genre TO kind",
    "ALTER TABLE track RENAME COLUMN kind TO genre",
    "DROP TABLE track", "DROP VIEW track", "DROP TABLE temp.track", Track.sample,
    """
    CREATE TABLE track(milliseconds INTEGER, genre TEXT COLLATE NOCASE, id INTEGER NOT NULL,
      name TEXT COLLATE NOCASE NOT NULL, PRIMARY KEY(id, name)) WITHOUT ROWID;
    INSERT INTO track VALUES (1, 'jazz', 2, 'a'), (2, 'Jazz', 3, 'B'), (3, NULL, 3, 'b2');
    """,
    "CREATE VIEW track AS SELECT 2 AS id, 'v' AS name, NULL AS genre, 7 AS milliseconds",
    "CREATE TEMP TABLE track(id INTEGER PRIMARY KEY, name TEXT, genre TEXT, milliseconds INTEGER)",
    "INSERT INTO temp.track VALUES (2, 'temporary', NULL, 1)", "CREATE INDEX place ON track(name)",
    "DROP INDEX place", "ANALYZE", "PRAGMA user_version = 3", "ATTACH ':memory:' AS other",
    "DETACH other",
    "CREATE TABLE other.track(id INTEGER PRIMARY KEY, name TEXT, genre TEXT, milliseconds INTEGER)",
    "INSERT INTO other.track VALUES (2, 'attached', 'Jazz', 5)",
  ]

  /// What some look-ups return, or the errors that they throw.
  private func outcomes(_ connection: Connection, id: Int64, limit: Int) -> [String] {
    func outcome(_ value: () throws -> Any?) -> String {
      do { return "\(try value() as Any)" } catch { return "\(error)" }
    }
    return [
      outcome { try connection.fetchOne(Track.self, id) },
      outcome { try connection.fetchOne(Track.all.filter("\(\.id) = \(id)")) },
      outcome { try connection.fetchAll(Track.all.filter(.equals(\.genre, "Jazz"))) },
      outcome { try connection.fetchAll(Track.all.sorted(by: \.name).limited(to: limit)) },
      outcome { try connection.fetchCount(Track.all.filter("id > \(id)")) },
      outcome { try connection.fetchAll(FetchRequest(table: "track").limited(to: limit)) },
      outcome {
        try connection.fetchAll(
          FetchRequest(select: "SELECT id, name FROM track WHERE id < :id", key: ["id"])
            .with(parameters: ["id": .integer(id)]))
      },
    ]
  }

  @Test func lookUpsFollowTheSchema() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(seed: seed)
    let database = try Track.store()
    try database.withWriter { connection throws in
      var history: [String] = []
      for _ in 0..<400 {
        let change = Self.changes.randomElement(using: &generator) ?? ""
        let isUndone = Int.random(in: 0..<4, using: &generator) == 0
        let (id, limit) = (
          Int64.random(in: 1...4, using: &generator), Int.random(in: 1...3, using: &generator)
        )
        func check() {
          let kept = outcomes(connection, id: id, limit: limit)
          let queries = connection.keptQueries
          connection.keptQueries = []
          let fresh = outcomes(connection, id: id, limit: limit)
          connection.keptQueries = queries
          if kept != fresh {
            Issue.record("seed \(seed), after \(history.suffix(6)): \(kept), not \(fresh)")
          }
        }
        history.append(change)
        // A change that does not fit the schema is none. Some can only be made outside of a transaction.
        if isUndone {
          try? connection.transaction {
            try connection.execute(script: change)
            check()
            throw Undone()
          }
        } else {
          try? connection.execute(script: change)
        }
        try connection.transaction(.deferred) { check() }
      }
    }
  }
}
