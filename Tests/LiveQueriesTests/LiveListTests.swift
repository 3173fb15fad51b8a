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

  private func change(
    _ database: Database, _ count: Int, _ numbers: inout SeededGenerator
  ) throws {
    let script = (0..<count).map { _ in TwoVersions.change(&numbers) + ";" }.joined()
    try database.write { try $0.execute(script: script) }
  }
}
