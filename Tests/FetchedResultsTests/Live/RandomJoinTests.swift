import SQLiteStorage
import TableData
import TableDataTesting
import Testing

@testable import FetchedResults

/// Random transactions on several tables: what is found from touched rows is what the comparison
/// finds, and what a provider shows then is what a fresh one shows.
@Suite struct RandomJoinTests {
  @Test(arguments: JoinCase.all)
  func theProviderConverges(_ joinCase: JoinCase) throws {
    for seed in SeededGenerator.seeds(1) {
      var run = try JoinRun(joinCase, seed: seed)
      do {
        try run.run(rounds: 24)
      } catch {
        Issue.record("\(joinCase.testDescription), seed \(seed): \(run.log): \(error)")
        return
      }
    }
  }

  @Test(arguments: JoinCase.all)
  func whatCanBeFoundIsKnown(_ joinCase: JoinCase) throws {
    let list = try LiveList(
      try .store(JoinCase.schema), joinCase.request, sectionedBy: joinCase.sectionKey)
    #expect(list.isFast == joinCase.isFast, "\(String(describing: list.provider.maintenance))")
  }
}

/// A store, a list of it, and the engine beside the list.
private struct JoinRun {
  let list: LiveList
  let fetch: ResultLoader<Row>
  var version: ResultsVersion
  var transactions: JoinTransactions
  var generator: SeededGenerator
  /// What was done last.
  var log = ""

  init(_ joinCase: JoinCase, seed: UInt64) throws {
    let database = try Database.store(JoinCase.schema)
    var transactions = JoinTransactions(SeededGenerator(seed: seed))
    let rows = (0..<(seed % 4 * 20)).map { _ in transactions.insert() + ";" }
    try database.run(rows.joined())
    self.transactions = transactions
    generator = SeededGenerator(seed: ~seed)
    list = try LiveList(database, joinCase.request, sectionedBy: joinCase.sectionKey)
    list.recorder.readsAtEachCall = false
    list.versions = HeldVersions(seed: seed)
    fetch = ResultLoader(
      database: database, request: joinCase.request, sectionKey: joinCase.sectionKey)
    version = try fetch.version(of: try database.snapshot())
  }

  mutating func run(rounds: Int) throws {
    for round in 0..<rounds {
      let script = transactions.next()
      log = "round \(round):\n\(script)"
      try list.database.run(script)
      // Now and then several transactions are one batch.
      if Int.random(in: 0..<6, using: &generator) > 0 { try step() }
    }
    try step()
  }

  private mutating func step() throws {
    try list.step()
    let snapshot = try list.database.snapshot()
    // Packed rows are compared in any case.
    guard snapshot !== version.snapshot, version.packed == nil else { return }
    let source = ResultSource(snapshot, version.plan)
    let update = try ResultUpdater(from: version, to: source).advance()
    let compared = try ResultUpdater(from: version, to: source).compare()
    let next = update.version
    try #require(update.changes == compared.changes)
    try #require(try next.keys() == compared.version.keys())
    try next.checkInvariants()
    version = next
  }
}
