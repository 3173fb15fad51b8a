import Foundation
import SQLiteStorage
import TableData
import TableDataTesting
import Testing

@testable import FetchedResults

/// Random schemas, random SELECTs of them, and random transactions by two writers: after each, the list
/// is what a plain SELECT gives, and what it told leads there.
///
/// `FETCHED_RESULTS_TEST_SEED` runs one seed alone, with fewer and fewer statements as long as it
/// fails, and prints them.
@Suite struct RandomSchemaTests {
  /// What the cases of one part were.
  struct Counts {
    var refusals: [String: Int] = [:]
    var refusedCount = 0
    var caseCount = 0
    var touchedCount = 0
    var partlyCount = 0
    var comparedCount = 0
    var transactionCount = 0
    var batchCount = 0
    var errorCount = 0
    var tornCount = 0
    var reasons: [String: Int] = [:]
  }

  private static let onlySeed = ProcessInfo.processInfo.environment["FETCHED_RESULTS_TEST_SEED"]
    .flatMap(UInt64.init)

  @Test(.enabled(if: onlySeed == nil), arguments: 0..<UInt64(8))
  func theListIsAPlainSelect(part: UInt64) throws {
    var counts = Counts()
    for number in 0..<UInt64(SeededGenerator.scaled(2)) {
      let seed = part << 32 | number
      let random = SchemaCase(seed: seed, transactionCount: 30)
      var run = SchemaRun(random)
      do {
        try run.run(&counts)
      } catch {
        Issue.record("seed \(seed): \(run.place): \(error)\n\(random.description)")
      }
    }
    if ProcessInfo.processInfo.environment["FETCHED_RESULTS_TEST_LOG"] != nil { print(counts) }
    // Otherwise nothing is tested.
    #expect(counts.refusedCount * 4 <= counts.caseCount, "\(counts)")
  }

  @Test func manyAreKeptFromTouchedRows() throws {
    var counts = Counts()
    for seed in 0..<UInt64(60) {
      var run = SchemaRun(SchemaCase(seed: seed, transactionCount: 0))
      try run.run(&counts)
    }
    #expect(counts.refusedCount <= 6, "\(counts)")
    #expect(counts.touchedCount + counts.partlyCount >= 18, "\(counts)")
  }

  @Test(.enabled(if: onlySeed != nil)) func oneSeed() throws {
    var random = SchemaCase(seed: Self.onlySeed ?? 0, transactionCount: 30)
    guard failure(of: random) != nil else { return }
    while let smaller = smaller(random) { random = smaller }
    Issue.record("\(failure(of: random) ?? "")\n\(random.description)")
  }

  private func failure(of random: SchemaCase) -> String? {
    var failure: String?
    withKnownIssue(isIntermittent: true) {
      var counts = Counts()
      var run = SchemaRun(random)
      do {
        try run.run(&counts)
      } catch {
        failure = "\(run.place), \(run.maintenance as Any): \(error)"
      }
    }
    return failure
  }

  /// The case without one of its statements, if it still fails.
  private func smaller(_ random: SchemaCase) -> SchemaCase? {
    for index in random.transactions.indices.reversed() {
      var fewer = random
      fewer.transactions.remove(at: index)
      if failure(of: fewer) != nil { return fewer }
      for position in random.transactions[index].statements.indices.reversed() {
        fewer = random
        fewer.transactions[index].statements.remove(at: position)
        if failure(of: fewer) != nil { return fewer }
      }
    }
    for index in random.rows.indices.reversed() {
      var fewer = random
      fewer.rows.remove(at: index)
      if failure(of: fewer) != nil { return fewer }
    }
    // Without a table or view that others need, it fails at once.
    for index in random.schema.indices.reversed() where !random.schema[index].contains(" TABLE ") {
      var fewer = random
      fewer.schema.remove(at: index)
      if let failure = failure(of: fewer), !failure.contains("no such table") { return fewer }
    }
    return nil
  }
}

/// A list of a ``SchemaCase``, with its transactions.
private struct SchemaRun {
  let random: SchemaCase
  /// What was done last.
  private(set) var place = "at first"
  private(set) var maintenance: Maintenance?

  init(_ random: SchemaCase) { self.random = random }

  mutating func run(_ counts: inout RandomSchemaTests.Counts) throws {
    counts.caseCount += 1
    let database = try Database.store("")
    try database.run(random.schema.joined(separator: ";"))
    for row in random.rows { execute([row], on: database) }
    let list: LiveList
    do {
      list = try LiveList(database, random.request, sectionedBy: random.sectionKey)
    } catch let error as FetchError where isAllowed(error) {
      counts.refusedCount += 1
      counts.refusals[error.code.description, default: 0] += 1
      return
    }
    list.recorder.readsAtEachCall = false
    list.comparesWithFresh = random.plain.isExact
    list.harness.requiresMinimalChanges = list.hasKey
    list.harness.requiresSameSectionNames = list.hasKey
    list.expectsFewestChanges = !random.mayTear
    // After an error the old content could not be read.
    let mayFail = random.mayTear || random.key != nil
    list.versions = HeldVersions(seed: UInt64(counts.caseCount), mayExpire: !mayFail)
    maintenance = list.provider.maintenance
    switch maintenance {
    case .touchedRows: counts.touchedCount += 1
    case .partlyTouchedRows: counts.partlyCount += 1
    case .comparison(let reason):
      counts.comparedCount += 1
      counts.reasons[reason, default: 0] += 1
    case nil: break
    }
    try random.plain.check(list.provider, in: database)
    let other = try Database(path: database.path)
    for (number, transaction) in random.transactions.enumerated() {
      place = "transaction \(number)"
      execute(transaction.statements, on: transaction.isForeign ? other : database)
      counts.transactionCount += 1
      do {
        let step = try random.mayTear ? list.stepUnlessTorn() : (changes: list.step(), torn: nil)
        counts.tornCount += step.torn == nil ? 0 : 1
        if step.torn != nil { continue }
        counts.batchCount += step.changes.isEmpty ? 0 : 1
      } catch let error as FetchError where isAllowed(error) {
        // The list shows what it has shown.
        counts.errorCount += 1
        continue
      }
      maintenance = list.provider.maintenance
      try random.plain.check(list.provider, in: database)
    }
    try list.provider.shownVersion?.checkInvariants()
  }

  /// Whether two rows may have the key that the caller has named, or the order may tear a section.
  private func isAllowed(_ error: FetchError) -> Bool {
    error.code == .invalidKey && random.key != nil || error.code == .tornSection && random.mayTear
  }

  /// Runs statements in one transaction. Those that the schema does not allow are left out.
  private func execute(_ statements: [String], on database: Database) {
    // A deferred foreign key may refuse the whole.
    try? database.write { connection in
      for statement in statements { try? connection.execute(script: statement) }
    }
  }
}
