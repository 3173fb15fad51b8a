import SQLiteStorage
import TableData
import TableDataTesting
import Testing

@testable import FetchedResults
@testable import LiveQueries

/// Lists of every kind of SELECT, in random transactions: what is found from touched rows is what the
/// comparison of all rows finds.
@Suite struct LiveListTests {
  @Test(arguments: LiveShape.all) func touchedRowsAndComparisonAgree(_ shape: LiveShape) throws {
    let seed = fuzzSeed()
    var numbers = SeededGenerator(seed: seed)
    let database = try Database.inMemory()
    try database.write { try $0.execute(script: TwoVersions.creation) }
    try change(database, 40, &numbers)
    let select = "SELECT * FROM (\(shape.sql))"
    let loader = ResultLoader(
      database: database, request: FetchRequest<Row>(select: SQL(verbatim: select), key: shape.keys)
    )
    var (stepCount, followedCount) = (0, 0)
    // Some SELECTs are compared after most transactions.
    for round in 0..<SeededGenerator.scaled(100)
    where round < SeededGenerator.scaled(3) || followedCount == 0 {
      let place: Comment = "seed \(seed), round \(round): \(select)"
      do {
        let old = try loader.database.withSnapshot { try loader.fetch(from: $0, isTracked: true) }
          .version
        // Packed rows are compared in any case.
        guard old.packed == nil else { return }
        try change(database, Int(numbers.small(3)), &numbers)
        let snapshot = try database.snapshot()
        guard snapshot !== old.snapshot else { continue }
        let updater = ResultUpdater(from: old, to: ResultSource(snapshot, old.plan))
        let update = try updater.advance()
        let compared = try updater.compare()
        let next = update.version
        try #require(update.changes == compared.changes, place)
        try #require(
          try next.identities(at: 0..<next.index.layout.rowCount)
            == compared.version.identities(at: 0..<compared.version.index.layout.rowCount), place)
        stepCount += 1
        if case .comparison = update.source { continue }
        followedCount += 1
      } catch let error as FetchError where error.code == .invalidKey {
        // The shape's key is not unique in these rows. Others are tried.
        try database.write { connection in
          for table in TwoVersions.tables + ["f"] {
            try connection.execute("DELETE FROM \(identifier: table)")
          }
        }
        try change(database, 6, &numbers)
      }
    }
    log("list: seed \(seed), \(stepCount) steps, \(followedCount) followed: \(select)")
    #expect(stepCount > 0 && followedCount > 0)
  }

  /// Rows that are equal in a window have their numbers as SQLite reads them, and it may read one partition by another
  /// index than all. The list shows what one SELECT returns, and each of its rows can be read.
  @Test(arguments: [
    "row_number() OVER (PARTITION BY g ORDER BY w)", "lag(id) OVER (PARTITION BY g ORDER BY v)",
    "first_value(id) OVER (PARTITION BY g ORDER BY w DESC)",
    "count(*) OVER (PARTITION BY g ORDER BY w ROWS UNBOUNDED PRECEDING)",
    "rank() OVER (PARTITION BY g ORDER BY w)", "row_number() OVER (PARTITION BY g ORDER BY w, id)",
    "count(*) OVER (PARTITION BY g ORDER BY w GROUPS 1 PRECEDING)",
  ])
  func aListOfEqualRowsIsWhatOneSelectReturns(_ window: String) throws {
    let seed = fuzzSeed()
    for index in ["a(g, w)", "a(g, w DESC)", "a(g)", "a(w, g)"] {
      var numbers = SeededGenerator(seed: seed)
      let database = try Database.inMemory()
      try database.write {
        try $0.execute(
          script: """
            CREATE TABLE a(id INTEGER PRIMARY KEY, g TEXT, v INT, w INT NOT NULL);
            CREATE INDEX a_index ON \(index);
            """)
      }
      let select =
        "SELECT * FROM (SELECT id, g, v, \(window) AS r FROM a) WHERE r <= 2 OR r IS NULL"
      let provider = try FetchedResultsProvider(
        database: database,
        request: FetchRequest<Row>(select: SQL(verbatim: select), key: ["id", "g"]))
      for round in 0..<SeededGenerator.scaled(12) {
        try database.write { connection in
          for _ in 0..<(round == 0 ? 12 : Int(numbers.small(3))) {
            try connection.execute(
              """
              INSERT OR REPLACE INTO a VALUES (\(numbers.small(9)), \(TwoVersions.text(&numbers)),
              \(numbers.small(3)), \(numbers.small(2)))
              """)
          }
        }
        try provider.refresh()
        let place: Comment =
          "seed \(seed), round \(round), \(index), \(select): \(provider.maintenance as Any)"
        let expected = try database.read { try $0.rows(SQL(verbatim: select)).map(\.values) }
        let shown = try (0..<(provider.fetchedObjects?.count ?? 0)).map {
          try provider.object(at: [0, $0]).values
        }
        try #require(shown.count == expected.count, place)
        try #require(Set(shown) == Set(expected), place)
      }
    }
  }

  private func change(
    _ database: Database, _ count: Int, _ numbers: inout SeededGenerator
  ) throws {
    let script = (0..<count).map { _ in TwoVersions.change(&numbers) + ";" }.joined()
    try database.write { try $0.execute(script: script) }
  }
}
