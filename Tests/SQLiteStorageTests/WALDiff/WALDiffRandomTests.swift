import TableDataTesting
import Testing

@testable import SQLiteStorage

/// Whatever another connection writes: what differs is touched, and what fits in its page is told
/// exactly.
@Suite struct WALDiffRandomTests {
  typealias Form = ForeignStore.Form

  private static let forms = [
    Form(), Form(pageSize: 512, rowCount: 800), Form(pageSize: 1_024, autoVacuum: "FULL"),
    Form(pageSize: 65_536, rowCount: 4_000), Form(autoVacuum: "INCREMENTAL"),
    Form(pageSize: 512, autoVacuum: "FULL", rowCount: 600),
    Form(pageSize: 2_048), Form(pageSize: 8_192),
    Form(pageSize: 1_024, autoVacuum: "FULL", rowCount: 600, secureDelete: "ON"),
    Form(pageSize: 512, rowCount: 600, reservedSize: 32), Form(reservedSize: 255),
  ]

  @Test(arguments: forms) func writesOfAnotherConnectionAreReportedExactly(in form: Form) throws {
    let store = try ForeignStore(form)
    var run = try RandomRun(of: store, tables: ForeignStore.shortTables)
    for _ in 0..<SeededGenerator.scaled(8) {
      try store.other.execute(script: store.script(&run.numbers))
      if run.numbers.chance(20), form.autoVacuum == "INCREMENTAL" {
        try store.other.execute(script: "PRAGMA incremental_vacuum(\(run.numbers.small(9)))")
      }
      try run.check()
    }
    #expect(run.inexactCount == 0, run.comment)
    #expect(run.unknownCount == 0, run.comment)
    #expect(run.exactCount > 0, run.comment)
  }

  @Test func writesToALargeTableAreReportedExactly() throws {
    let store = try ForeignStore(Form(rowCount: 20_000))
    var run = try RandomRun(of: store, tables: [TruthTable("item")])
    for _ in 0..<SeededGenerator.scaled(5) {
      try store.other.execute(script: store.script(&run.numbers))
      try run.check()
    }
    #expect(run.inexactCount == 0, run.comment)
    #expect(run.unknownCount == 0, run.comment)
  }

  @Test func ownWritesAndThoseOfOthersAreReportedTogether() throws {
    let store = try ForeignStore()
    var run = try RandomRun(of: store, tables: ForeignStore.shortTables)
    for round in 0..<SeededGenerator.scaled(8) {
      if run.numbers.chance(60) { try store.other.execute(script: store.script(&run.numbers)) }
      if run.numbers.chance(60) {
        try run.database.withWriter { try $0.execute(script: store.script(&run.numbers)) }
      }
      if run.numbers.chance(30) { try store.other.execute(script: store.script(&run.numbers)) }
      try run.check(allowsMore: true)
      _ = round
    }
    #expect(run.unknownCount == 0, run.comment)
  }

  @Test func noChangeOfALongRowIsMissed() throws {
    let long = """
      CREATE TABLE long(id INTEGER PRIMARY KEY, body, tail);
      CREATE INDEX long_body ON long(tail, body);
      CREATE TABLE keyed(id, body, tail, PRIMARY KEY(tail, id)) WITHOUT ROWID;
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
      INSERT INTO long SELECT i, zeroblob(i * 37), i FROM n;
      INSERT INTO keyed SELECT id, body, tail FROM long;
      """
    let statements = [
      "UPDATE long SET tail = ? WHERE id = ? % 220", "DELETE FROM long WHERE id = ? % 220",
      "INSERT OR REPLACE INTO long VALUES (? % 220, hex(zeroblob(? * 5)), ?)",
      "UPDATE long SET body = replace(body, '0', 'x') WHERE id = ? % 220",
      "UPDATE long SET body = zeroblob(? % 9000) WHERE id = ? % 220",
      "UPDATE keyed SET body = zeroblob(? * 6) WHERE id = ? % 220",
      "DELETE FROM keyed WHERE id = ? % 220",
      "INSERT OR REPLACE INTO keyed VALUES (? % 220, hex(zeroblob(?)), hex(zeroblob(? % 600)))",
    ]
    for form in [Form(pageSize: 512, rowCount: 300), Form(pageSize: 1_024, autoVacuum: "FULL")] {
      let store = try ForeignStore(form, extra: long)
      let tables = [TruthTable("long"), TruthTable("keyed", key: ["tail", "id"])]
      var run = try RandomRun(of: store, tables: tables)
      for _ in 0..<SeededGenerator.scaled(8) {
        let script = store.script(&run.numbers, more: statements + statements + statements)
        try store.other.execute(script: script)
        if run.numbers.chance(20) {
          try BlobWrite.write(
            (7, UInt8(run.numbers.small())), to: "body", of: "long", rowID: run.numbers.small(200),
            on: store.other)
        }
        try run.check(allowsMore: true)
      }
      #expect(run.exactCount + run.inexactCount > 0, run.comment)
    }
  }
}

/// A database that watches a store, round by round.
private struct RandomRun {
  let database: Database
  let tables: [TruthTable]
  let seed = UInt64.random(in: 0...UInt64.max)
  var numbers: SeededGenerator
  private(set) var round = 0
  private(set) var exactCount = 0
  private(set) var inexactCount = 0
  private(set) var unknownCount = 0

  private var last: (snapshot: Snapshot, rows: TruthRows)
  private var oldest: (snapshot: Snapshot, rows: TruthRows)?

  init(of store: ForeignStore, tables: [TruthTable]) throws {
    var configuration = Database.Configuration.unsynced
    // Often enough that the log is reset many times.
    configuration.checkpointThreshold = 40
    database = try Database(path: store.folder.file(), configuration: configuration)
    self.tables = tables
    numbers = SeededGenerator(seed: seed)
    let snapshot = try database.snapshot()
    last = (snapshot, try TruthRows(of: tables, in: snapshot))
  }

  var comment: Comment {
    """
    seed \(seed), round \(round); exact \(exactCount), inexact \(inexactCount), \
    unknown \(unknownCount)
    """
  }

  /// Takes the next version and compares what is told with what differs.
  mutating func check(allowsMore: Bool = false) throws {
    round += 1
    let snapshot = try database.snapshot()
    let rows = snapshot === last.snapshot ? last.rows : try TruthRows(of: tables, in: snapshot)
    try check(last, (snapshot, rows), allowsMore: allowsMore)
    if let oldest { try check(oldest, (snapshot, rows), allowsMore: allowsMore) }
    if numbers.chance(15) { oldest = last }
    if numbers.chance(30) { oldest = nil }
    last = (snapshot, rows)
    #expect(throws: Never.self, comment) {
      try snapshot.chain.checkInvariants()
      try #require(snapshot.pages).checkInvariants()
      try database.readers.checkInvariants()
    }
    // With one snapshot left, asking for the same version again gives the log a chance to be
    // reset under it.
    _ = try database.snapshot()
  }

  private mutating func check(
    _ old: (snapshot: Snapshot, rows: TruthRows), _ new: (snapshot: Snapshot, rows: TruthRows),
    allowsMore: Bool
  ) throws {
    let changes = old.snapshot.changes(to: new.snapshot)
    guard case .rows(let touched) = changes else {
      unknownCount += 1
      #expect(allowsMore && changes == .unknown(.longRowChanged), "\(changes); \(comment)")
      return
    }
    #expect(throws: Never.self, comment) { try touched.checkInvariants() }
    var isExact = true
    for (table, differences) in zip(tables, new.rows.differences(from: old.rows)) {
      guard let keys = table.keys(in: touched) else {
        isExact = false
        continue
      }
      let missed = differences.subtracting(keys)
      #expect(missed.isEmpty, "\(table.name) \(missed.prefix(3)); \(comment)")
      if keys.count != differences.count {
        isExact = false
        #expect(allowsMore, "\(table.name) \(keys.subtracting(differences)); \(comment)")
      }
    }
    if isExact { exactCount += 1 } else { inexactCount += 1 }
  }
}
