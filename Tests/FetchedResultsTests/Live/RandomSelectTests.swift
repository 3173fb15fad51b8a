import SQLiteStorage
import TableData
import TableDataTesting
import Testing

@testable import FetchedResults

/// Random transactions on random SELECTs: what is found from touched rows is what the comparison
/// finds, whatever joins, conditions and nested SELECTs there are.
@Suite struct RandomSelectTests {
  @Test(arguments: SeededGenerator.seeds(20))
  func deltaAndMergeAgree(seed: UInt64) throws {
    var selects = RandomSelect(SeededGenerator(seed: seed))
    let (select, key) = selects.next()
    let comment: Comment = "seed \(seed): \(select)"
    let database = try Database.store(JoinCase.schema)
    let fetch = ResultLoader(
      database: database,
      request: FetchRequest(select: SQL(verbatim: select), key: key).sorted(by: \Row["x1"]),
      sectionKey: nil)
    var transactions = JoinTransactions(SeededGenerator(seed: ~seed))
    try database.run((0..<60).map { _ in transactions.insert() + ";" }.joined())
    var version: ResultsVersion = try fetch.version(of: try database.snapshot())
    // Packed rows are compared in any case.
    guard version.packed == nil else { return }
    var followedCount = 0
    for round in 0..<25 {
      let script = transactions.next()
      try database.run(script)
      let snapshot = try database.snapshot()
      guard snapshot !== version.snapshot else { continue }
      let source = ResultSource(snapshot, version.plan)
      let update = try ResultUpdater(from: version, to: source).advance()
      let compared = try ResultUpdater(from: version, to: source).compare()
      let next = update.version
      let place: Comment = "\(comment.rawValue)\nround \(round):\n\(script)"
      try #require(update.changes == compared.changes, place)
      try #require(
        try next.keys() == compared.version.keys(), place)
      try next.checkInvariants()
      version = next
      if case .comparison = update.source { continue }
      followedCount += 1
    }
    #expect(version.plan.maintenance.reason != nil || followedCount > 0, comment)
  }

  @Test func mostOfThemAreKeptFromTouchedRows() throws {
    let database = try Database.store(JoinCase.schema)
    var selects = RandomSelect(SeededGenerator(seed: 1))
    var fastCount = 0
    for _ in 0..<200 {
      let (select, key) = selects.next()
      let provider = try FetchedResultsProvider(
        database: database, request: FetchRequest(select: SQL(verbatim: select), key: key))
      try provider.performFetch()
      if case .comparison = provider.maintenance { continue }
      fastCount += 1
    }
    #expect(fastCount > 100)
  }
}
