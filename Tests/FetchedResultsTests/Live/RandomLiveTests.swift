import SQLiteStorage
import TableData
import TableDataTesting
import Testing

@testable import FetchedResults

/// Random transactions, through the provider: after each, what it shows is what a fresh one shows,
/// and what it told leads there.
@Suite struct RandomLiveTests {
  @Test(arguments: LiveCase.all)
  func theProviderConverges(_ liveCase: LiveCase) throws {
    for seed in SeededGenerator.seeds(1) {
      var run = try LiveRun(liveCase, seed: seed)
      do {
        try run.run(rounds: SeededGenerator.isLongRun ? 21 : 12)
      } catch {
        Issue.record("\(liveCase.testDescription), seed \(seed): \(run.log): \(error)")
        return
      }
    }
  }
}

/// A store, a request, and one of its lists with random transactions.
private struct LiveRun {
  let mayTear: Bool
  let list: LiveList
  /// Another connection to the same file.
  let other: Database
  var transactions: RandomTransactions
  var generator: SeededGenerator
  /// What was done last.
  var log = ""

  init(_ liveCase: LiveCase, seed: UInt64) throws {
    mayTear = liveCase.mayTear
    let folder = liveCase.isAttached ? try TestFolder() : nil
    let attach: (@Sendable (Connection) throws -> Void)? = folder.map { folder in
      let path = folder.file("attached.sqlite")
      return { try $0.execute(SQL(verbatim: "ATTACH '\(path)' AS side")) }
    }
    let database = try Database.store("") { $0.prepareConnection = attach }
    self.folder = folder
    try database.run(liveCase.schema)
    var transactions = RandomTransactions(SeededGenerator(seed: seed), liveCase)
    let rows = (0..<(mayTear ? 0 : seed % 4 * 10)).map { _ in transactions.insert() + ";" }
    try database.run(rows.joined())
    self.transactions = transactions
    generator = SeededGenerator(seed: ~seed)
    // Every other list has an index of chunks, where an SQL index fits its order.
    let isChunked = seed.isMultiple(of: 2)
    if isChunked, let index = liveCase.index { try database.run(index) }
    list = try LiveList(
      database,
      isChunked ? liveCase.request.chunked(above: 0, size: 3) : liveCase.request,
      sectionedBy: liveCase.sectionKey)
    list.recorder.readsAtEachCall = false
    list.expectsFewestChanges = !mayTear
    // After a torn section the old content could not be read.
    list.versions = HeldVersions(seed: seed, mayExpire: !mayTear)
    var configuration = Database.Configuration()
    configuration.prepareConnection = attach
    other = try Database(path: database.path, configuration: configuration)
  }

  private let folder: TestFolder?

  mutating func run(rounds: Int) throws {
    for round in 0..<rounds {
      let script = transactions.next()
      let isForeign = Int.random(in: 0..<5, using: &generator) == 0
      log = "round \(round), \(isForeign ? "by another" : "own"):\n\(script)"
      try (isForeign ? other : list.database).run(script)
      // Now and then several transactions are one batch.
      if Int.random(in: 0..<6, using: &generator) > 0 { try step() }
    }
    try step()
  }

  private func step() throws {
    if mayTear { try list.stepUnlessTorn() } else { try list.step() }
    try list.provider.shownVersion?.checkInvariants()
  }
}
